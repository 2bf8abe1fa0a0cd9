import type { Mapping } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/**
 * What of an origin's payloads is mapped to a Secreto, by its unsaved, saved or published mapping, as the variables are
 * at this moment (contract 2.10).
 */
export async function secretPointers(store: Store, { processID, ...mapping }: MappingOf): Promise<string[]> {
  const entries = [...(mapping.unsaved ?? []), ...mapping.saved, ...mapping.published];
  if (entries.length === 0) return [];
  const rows = await store.rows<{ variable_id: string }>(
    "SELECT variable_id FROM matrix_variable WHERE process_id = ? AND type = 'Secreto'",
    [processID],
  );
  const secrets = new Set(rows.map(({ variable_id }) => variable_id));
  const pointers = entries.filter(({ variableId }) => secrets.has(variableId)).map(({ pointer }) => pointer);
  return [...new Set(pointers)];
}

type MappingOf = Mapping & { processID: string };
