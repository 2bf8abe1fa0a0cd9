import { requireUsableCredential, requireUsableKey } from '@batuta/auth';
import type { RequestSecrets } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/** SQL condition of an expired secret. */
const IS_EXPIRED = 'COALESCE(expires_at <= UTC_TIMESTAMP(3), 0)';

interface SecretRow {
  revoked: number;
  expired: number;
}

/**
 * Throws CREDENTIAL_REVOKED, CREDENTIAL_EXPIRED, PROCESS_KEY_REVOKED or PROCESS_KEY_EXPIRED unless both secrets of an API request are usable, and
 * keeps them from being revoked until the transaction ends. Comes after `lockPermission`: a key is revoked under the lock of its process.
 */
export async function lockRequestSecrets(tx: Store, { credentialID, processKeyID }: RequestSecrets): Promise<void> {
  await lockCredential(tx, credentialID);
  const key = await tx.row<SecretRow>(
    `SELECT revoked_at IS NOT NULL AS revoked, ${IS_EXPIRED} AS expired FROM process_key WHERE key_id = ?`,
    [processKeyID],
  );
  requireUsableKey(toState(key));
}

/** Throws CREDENTIAL_REVOKED or CREDENTIAL_EXPIRED unless the credential is usable, and keeps it from being revoked until the transaction ends. */
export async function lockCredential(tx: Store, credentialID: string): Promise<void> {
  const credential = await tx.row<SecretRow>(
    `SELECT revoked_at IS NOT NULL AS revoked, ${IS_EXPIRED} AS expired FROM credential
      WHERE credential_id = ? LOCK IN SHARE MODE`,
    [credentialID],
  );
  requireUsableCredential(toState(credential));
}

/** Only a revoked or expired secret is ever deleted. */
function toState(row: SecretRow | undefined): { revoked: boolean; expired: boolean } {
  return { revoked: row?.revoked !== 0, expired: row?.expired === 1 };
}
