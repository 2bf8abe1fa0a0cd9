import type { Store } from '@batuta/database';

const PAGE_SIZE = 500;

/** Tables of services other than the console whose rows belong to a process, with the names of their keys. */
const KEYS = { schedule: 'schedule_id', origin: 'origin_id' } as const;

/** A row, and whether its process was deleted. */
interface Candidate {
  id: string;
  orphaned: number;
}

/**
 * Calls `remove` for the rows of `table` whose process was deleted, one by one: those of `processID`, or of all processes.
 * Returns their number.
 */
export async function removeOrphans(
  store: Store,
  table: keyof typeof KEYS,
  remove: (id: string) => Promise<void>,
  processID?: string,
): Promise<number> {
  let removed = 0;
  for (let page = await candidates(store, table, '', processID); page.length > 0;) {
    for (const { id, orphaned } of page) {
      if (orphaned === 0) continue;
      await remove(id);
      removed += 1;
    }
    page = await candidates(store, table, page.at(-1)?.id ?? '', processID);
  }
  return removed;
}

/** In pages: no index finds what has no process, and one statement over all rows grows with them. */
function candidates(store: Store, table: keyof typeof KEYS, after: string, processID?: string): Promise<Candidate[]> {
  const key = KEYS[table];
  const ofProcess = processID === undefined ? '' : 'AND o.process_id = ?';
  return store.rows<Candidate>(
    `SELECT o.${key} AS id, p.process_id IS NULL AS orphaned FROM ${table} o
       LEFT JOIN process p ON p.process_id = o.process_id
      WHERE o.${key} > ? ${ofProcess} ORDER BY o.${key} LIMIT ${PAGE_SIZE}`,
    processID === undefined ? [after] : [after, processID],
  );
}
