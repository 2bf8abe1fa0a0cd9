import { requireUsableKey } from '@batuta/auth';
import type { RequestSecrets } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { lockCredential, SECRET_STATE, toSecretState, type SecretRow } from './lock-credential';

/**
 * Throws CREDENTIAL_REVOKED, CREDENTIAL_EXPIRED, PROCESS_KEY_REVOKED or PROCESS_KEY_EXPIRED unless both secrets of an API request are usable, and
 * keeps them from being revoked until the transaction ends. Comes after `lockPermission`: a key is revoked under the lock of its process.
 */
export async function lockRequestSecrets(tx: Store, { credentialID, processKeyID }: RequestSecrets): Promise<void> {
  await lockCredential(tx, credentialID);
  const key = await tx.row<SecretRow>(`SELECT ${SECRET_STATE} FROM process_key WHERE key_id = ?`, [processKeyID]);
  requireUsableKey(toSecretState(key));
}
