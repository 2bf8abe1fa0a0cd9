import type { Store } from '@batuta/database';

const ROWS_PER_PAGE = 500;

/**
 * Tables of services other than the console whose rows belong to a process, with the names of their keys. An event
 * subscription for every process of its company belongs to no single process, and so is never an orphan.
 */
const KEY_COLUMNS = {
  schedule: 'schedule_id',
  origin: 'origin_id',
  event_subscription: 'subscription_id',
} as const;

interface CheckedRow {
  id: string;
  /** 1 if its process was deleted, otherwise 0. */
  orphaned: number;
}

/**
 * If the process was deleted, calls `remove` for each row of `table` that belongs to it, one by one, until `isStopping`. Returns the
 * number of removed rows.
 */
export async function removeOrphans(
  store: Store,
  table: keyof typeof KEY_COLUMNS,
  remove: (id: string) => Promise<void>,
  processID: string,
  isStopping = () => false,
): Promise<number> {
  let removed = 0;
  for (let page = await pageOfRows(store, table, '', processID); page.length > 0 && !isStopping();) {
    removed += await removeAll(page, remove, isStopping);
    page = await pageOfRows(store, table, page.at(-1)?.id ?? '', processID);
  }
  return removed;
}

/**
 * Removes the rows of `table` of all deleted processes. No index leads to them, so each sweep reads one page of all rows,
 * and the next sweep continues after it: the time of a sweep does not grow with the table.
 */
export class OrphanSweep {
  /** The id of the last row that was read; empty before the first page, and again after the last page. */
  private position = '';

  constructor(
    private readonly store: Store,
    private readonly table: keyof typeof KEY_COLUMNS,
    private readonly remove: (id: string) => Promise<void>,
    private readonly isStopping = () => false,
  ) {}

  /** Returns the number of rows that it removed. */
  async sweep(): Promise<number> {
    const page = await pageOfRows(this.store, this.table, this.position);
    const removed = await removeAll(page, this.remove, this.isStopping);
    this.position = page.length < ROWS_PER_PAGE ? '' : (page.at(-1)?.id ?? '');
    return removed;
  }
}

async function removeAll(
  page: CheckedRow[],
  remove: (id: string) => Promise<void>,
  isStopping: () => boolean,
): Promise<number> {
  let removed = 0;
  for (const { id, orphaned } of page) {
    if (orphaned !== 1) continue;
    if (isStopping()) break;
    await remove(id);
    removed += 1;
  }
  return removed;
}

function pageOfRows(
  store: Store,
  table: keyof typeof KEY_COLUMNS,
  after: string,
  processID?: string,
): Promise<CheckedRow[]> {
  const key = KEY_COLUMNS[table];
  const ofProcess = processID === undefined ? '' : 'AND o.process_id = ?';
  return store.rows<CheckedRow>(
    `SELECT o.${key} AS id, o.process_id IS NOT NULL AND p.process_id IS NULL AS orphaned FROM ${table} o
       LEFT JOIN process p ON p.process_id = o.process_id
      WHERE o.${key} > ? ${ofProcess} ORDER BY o.${key} LIMIT ${ROWS_PER_PAGE}`,
    processID === undefined ? [after] : [after, processID],
  );
}
