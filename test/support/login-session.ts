import { mintSecret } from '@batuta/auth';
import type { Store } from '@batuta/database';

const SESSION_MS = 3_600_000;

/**
 * Inserts a login session of the account, which expires after an hour. Returns its token and the hash by which services name the session to
 * each other.
 */
export async function addLoginSession(
  store: Store,
  accountID: string,
): Promise<{ token: string; sessionHash: string }> {
  const { value: token, hash } = mintSecret('bls');
  const now = new Date();
  await store.write(
    'INSERT INTO login_session (token_hash, account_id, created_at, expires_at, one_time) VALUES (?, ?, ?, ?, 0)',
    [hash, accountID, now, new Date(now.getTime() + SESSION_MS)],
  );
  return { token, sessionHash: hash.toString('hex') };
}
