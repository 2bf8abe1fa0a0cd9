import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';

/** The owner's secrets that a flow refers to; one that is not in the vault is left out, and its step says so. */
export async function vaultOf(
  store: Store,
  keys: KeyRing,
  ownerID: string,
  vaultKeys: string[],
): Promise<Record<string, string>> {
  if (vaultKeys.length === 0) return {};
  const rows = await store.rows<{ vault_key: string; sealed: Buffer }>(
    'SELECT vault_key, sealed FROM vault_secret WHERE account_id = ? AND vault_key IN (?)',
    [ownerID, vaultKeys],
  );
  return Object.fromEntries(
    rows.map((row) => [row.vault_key, keys.unseal(row.sealed, `vault:${ownerID}:${row.vault_key}`)]),
  );
}
