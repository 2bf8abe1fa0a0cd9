import type { Store } from '@batuta/database';
import { sealingContexts, type KeyRing } from '@batuta/secrets';

/** A secret of the vault as it is stored. */
export interface SealedValue {
  vault_key: string;
  sealed: Buffer;
}

/** An execution of a flow that reads the vault. */
export interface VaultReader {
  processID: string;
  /** The owner of the process when the start was accepted. */
  ownerID: string;
  environmentID: string;
  /** The keys to which the flow refers. */
  vaultKeys: string[];
}

/**
 * A row of the query. It has nulls for an allowed key that the vault lacks, and when the process may use none of the
 * keys.
 */
type ValueRow = SealedValue | { vault_key: null; sealed: null };

/**
 * Returns rows only if the environment is within the reach of the process owner: the owner's own, or shared with the
 * owner's company.
 */
const SELECT_VALUES = `SELECT v.vault_key, v.sealed FROM process p
    JOIN environment e ON e.environment_id = ?
     AND (e.account_id = p.account_id OR (e.shared = 1 AND e.company_id = p.company_id))
    LEFT JOIN process_vault_key k ON k.process_id = p.process_id AND k.vault_key IN (?)
    LEFT JOIN vault_secret v ON v.account_id = p.account_id AND v.vault_key = k.vault_key
   WHERE p.process_id = ? AND p.account_id = ?`;

/**
 * The owner's secrets that a flow refers to and the process may use. A key that the vault lacks or the owner has not
 * allowed is left out, and a reference to it stays literal text. Undefined when the environment is outside of the
 * owner's reach, or the process has another owner or was deleted: then no agent gets a value (interpretation 49).
 */
export async function readSealedVault(
  store: Store,
  { processID, ownerID, environmentID, vaultKeys }: VaultReader,
): Promise<SealedValue[] | undefined> {
  if (vaultKeys.length === 0) return [];
  const rows = await store.rows<ValueRow>(SELECT_VALUES, [environmentID, vaultKeys, processID, ownerID]);
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => (row.vault_key === null ? [] : [row]));
}

/** Throws when a value cannot be unsealed, for example because this service does not have its key. */
export function unsealVault(keys: KeyRing, ownerID: string, values: SealedValue[]): Record<string, string> {
  return Object.fromEntries(
    values.map((value) => [
      value.vault_key,
      keys.unseal(value.sealed, sealingContexts.vaultSecret(ownerID, value.vault_key)),
    ]),
  );
}

/** The bytes that the values add to the reply to a claim: JSON escapes quotes, line breaks and control characters. */
export function bytesOfVault(vault: Record<string, string>): number {
  return Buffer.byteLength(JSON.stringify(vault));
}
