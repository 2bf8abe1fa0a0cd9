import { requireUsableCredential } from '@batuta/auth';
import type { Store } from '@batuta/database';

/** The columns of a secret that say whether it is usable. */
export const SECRET_STATE = 'revoked_at IS NOT NULL AS revoked, COALESCE(expires_at <= UTC_TIMESTAMP(3), 0) AS expired';

export interface SecretRow {
  revoked: number;
  expired: number;
}

/**
 * Throws CREDENTIAL_REVOKED or CREDENTIAL_EXPIRED unless the credential is usable, and keeps it from being revoked
 * until the transaction ends.
 */
export async function lockCredential(tx: Store, credentialID: string): Promise<void> {
  const credential = await tx.row<SecretRow>(
    `SELECT ${SECRET_STATE} FROM credential WHERE credential_id = ? LOCK IN SHARE MODE`,
    [credentialID],
  );
  requireUsableCredential(toSecretState(credential));
}

/** A missing row counts as revoked, because only revoked and expired secrets are ever deleted. */
export function toSecretState(row: SecretRow | undefined): { revoked: boolean; expired: boolean } {
  return { revoked: row?.revoked !== 0, expired: row?.expired === 1 };
}
