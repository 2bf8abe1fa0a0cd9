import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';

export interface SealedValue {
  vault_key: string;
  sealed: Buffer;
}

/** The owner's secrets that a flow refers to. A key that the vault lacks is left out: the step that needs it fails. */
export async function readSealedVault(store: Store, ownerID: string, vaultKeys: string[]): Promise<SealedValue[]> {
  if (vaultKeys.length === 0) return [];
  return store.rows<SealedValue>(
    'SELECT vault_key, sealed FROM vault_secret WHERE account_id = ? AND vault_key IN (?)',
    [ownerID, vaultKeys],
  );
}

/** Throws when a value was sealed under a key that this service does not have. */
export function unsealVault(keys: KeyRing, ownerID: string, values: SealedValue[]): Record<string, string> {
  return Object.fromEntries(
    values.map((value) => [value.vault_key, keys.unseal(value.sealed, `vault:${ownerID}:${value.vault_key}`)]),
  );
}
