import { mintSecret } from '@batuta/auth';
import type { Store } from '@batuta/database';

const LOGIN_SESSION_MS = 3_600_000;

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
  const { value, hash: tokenHash } = mintSecret('bls');
  const now = new Date();
  await store.write(
    `INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
    [id, companyID, email, name, role, passwordHash, now],
  );
  await store.write(
    'INSERT INTO login_session (token_hash, account_id, created_at, expires_at, one_time) VALUES (?, ?, ?, ?, 0)',
    [tokenHash, id, now, new Date(now.getTime() + LOGIN_SESSION_MS)],
  );
  return value;
}
