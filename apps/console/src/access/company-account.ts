import type { Store } from '@batuta/database';
import { Account } from '../registry';

/** Returns null for an unknown address, and for the address of an operator: an operator has no company, and no process can be shared with it. */
export async function findCompanyAccountByEmail(store: Store, email: string): Promise<Account | null> {
  return ofCompany(await store.repository(Account).findOneBy({ email }));
}

/** Finds the account as `findCompanyAccountByEmail` does, and keeps it from being changed until the transaction ends (a lock in share mode). */
export async function lockCompanyAccountByEmail(tx: Store, email: string): Promise<Account | null> {
  const lock = { mode: 'pessimistic_read' } as const;
  return ofCompany(await tx.repository(Account).findOne({ where: { email }, lock }));
}

function ofCompany(account: Account | null): Account | null {
  return account?.companyID === null ? null : account;
}
