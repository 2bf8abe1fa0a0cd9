import type { Store } from '@batuta/database';
import { Account } from '../registry';

/** The account with this e-mail address; null for an unknown address, and for the address of an operator: an operator has no company, and no process can be shared with it. */
export async function accountOfCompany(store: Store, email: string): Promise<Account | null> {
  return ofCompany(await store.repository(Account).findOneBy({ email }));
}

/** Finds the account as `accountOfCompany` does, and keeps its address from being changed until the transaction ends. */
export async function lockAccountOfCompany(tx: Store, email: string): Promise<Account | null> {
  const lock = { mode: 'pessimistic_read' } as const;
  return ofCompany(await tx.repository(Account).findOne({ where: { email }, lock }));
}

function ofCompany(account: Account | null): Account | null {
  return account?.companyID === null ? null : account;
}
