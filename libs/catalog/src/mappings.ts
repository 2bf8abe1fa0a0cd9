import type { MappingEntry } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/** An origin's mapping as publishing finds it. */
export interface OriginMapping {
  originID: string;
  name: string;
  /** There are changes that were not saved. */
  unsaved: boolean;
  saved: MappingEntry[];
}

/** Of all origins of a process, oldest first, locked against changes for as long as the transaction lasts. */
export async function lockMappings(tx: Store, processID: string): Promise<OriginMapping[]> {
  const rows = await tx.rows<{ origin_id: string; name: string; unsaved: number; mapping_saved: string }>(
    `SELECT origin_id, name, mapping_draft IS NOT NULL AS unsaved, mapping_saved FROM origin
      WHERE process_id = ? ORDER BY origin_id LOCK IN SHARE MODE`,
    [processID],
  );
  return rows.map((row) => {
    const saved: MappingEntry[] = JSON.parse(row.mapping_saved);
    return { originID: row.origin_id, name: row.name, unsaved: row.unsaved === 1, saved };
  });
}
