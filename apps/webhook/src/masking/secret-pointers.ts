import type { Mapping } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/**
 * The pointers that the unsaved, the saved or the published mapping of an origin maps to a Secreto, by the current types of
 * the process's variables (contract 2.10).
 */
export async function findSecretPointers(
  store: Store,
  { processID, unsaved, saved, published }: Mapping & { processID: string },
): Promise<string[]> {
  const entries = [...(unsaved ?? []), ...saved, ...published];
  if (entries.length === 0) return [];
  const rows = await store.rows<{ variable_id: string }>(
    "SELECT variable_id FROM matrix_variable WHERE process_id = ? AND type = 'Secreto'",
    [processID],
  );
  const secrets = new Set(rows.map(({ variable_id }) => variable_id));
  const pointers = entries.filter(({ variableId }) => secrets.has(variableId)).map(({ pointer }) => pointer);
  return [...new Set(pointers)];
}
