import { isDuplicate, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { Account } from '../registry';
import type { ConsoleConfig } from '../config';
import type { Passwords } from './passwords';

/**
 * Makes the operator's account as the settings say, once over all replicas. The settings are its truth: a changed password takes effect and
 * ends the sessions of the old one, and an operator of an earlier e-mail is blocked.
 */
export async function ensureOperator(store: Store, passwords: Passwords, config: ConsoleConfig): Promise<void> {
  const { OPERATOR_EMAIL: email, OPERATOR_PASSWORD: password } = config;
  const known = (await find(store, email)) ?? (await make(store, email, await passwords.hash(password)));
  if (known.role !== 'operator') throw new Error('OPERATOR_EMAIL: belongs to an account that is no operator');
  const isCurrent = await passwords.verify(known.passwordHash, password);
  const passwordHash = isCurrent ? known.passwordHash : await passwords.hash(password);
  await store.transaction(async (tx) => {
    await tx.write("UPDATE account SET blocked = 1 WHERE role = 'operator' AND account_id <> ?", [known.id]);
    await tx.repository(Account).update({ id: known.id }, { passwordHash, blocked: false });
    if (!isCurrent) await tx.write('DELETE FROM login_session WHERE account_id = ?', [known.id]);
  });
}

function find(store: Store, email: string): Promise<Account | null> {
  return store.repository(Account).findOneBy({ email });
}

async function make(store: Store, email: string, passwordHash: string): Promise<Account> {
  const account = {
    id: uuid(),
    companyID: null,
    email,
    name: 'Operator',
    role: 'operator' as const,
    passwordHash,
    blocked: false,
    createdAt: new Date(),
  };
  await store
    .repository(Account)
    .insert(account)
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  const made = await find(store, email);
  if (!made) throw new Error('OPERATOR_EMAIL: the account could not be made');
  return made;
}
