import type { MappingEntry } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/** The mapping of an origin, as a publication uses it. */
export interface MappingToPublish {
  originID: string;
  name: string;
  /** Whether the mapping has a draft: changes that are not saved. */
  unsaved: boolean;
  saved: MappingEntry[];
}

/** The mappings of all origins of a process, oldest origin first, locked against changes until the transaction ends. */
export async function lockMappings(tx: Store, processID: string): Promise<MappingToPublish[]> {
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
