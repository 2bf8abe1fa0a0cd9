import type { Store } from '@batuta/database';
import { addLoginSession } from '../../../test/support/login-session';

export async function insertCompany(store: Store, companyID: string, planID: string): Promise<void> {
  await store.write('INSERT INTO company VALUES (?, ?, ?, ?, ?)', [companyID, 'Acme', planID, false, new Date()]);
}

interface NewAccount {
  id: string;
  /** null for an operator. */
  companyID: string | null;
  email: string;
  name: string;
  role: string;
  passwordHash: string;
}

/**
 * Inserts the rows that adding an account and logging in would insert, in a third of the time; returns the session's
 * token.
 */
export async function insertAccount(store: Store, account: NewAccount): Promise<string> {
  const { id, companyID, email, name, role, passwordHash } = account;
  await store.write(
    `INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
    [id, companyID, email, name, role, passwordHash, new Date()],
  );
  return (await addLoginSession(store, id)).token;
}
