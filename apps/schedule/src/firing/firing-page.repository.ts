import type { Firing, FiringPage, FiringResult } from '@batuta/contracts';
import { PAGE_BYTES, pageBySize, type PageBudget, type Store } from '@batuta/database';

export interface FiringQuery {
  scheduleID: string;
  /**
   * The account that reads. The page counts against the page budget of the request's tenant, or of this account when the request is from
   * the previous release, which names no tenant.
   */
  accountID: string;
  limit: number;
  /** Only nominal times at or after this one. */
  from?: Date;
  /** Only nominal times before this one. */
  before?: Date;
}

interface FiringSize {
  nominal_at: Date;
  bytes: number;
}

interface FiringRow {
  nominal_at: Date;
  result: FiringResult;
  instance_id: string | null;
  reason_code: string | null;
  reason_message: string | null;
  settled_at: Date | null;
}

/** Estimated bytes of the columns of a firing other than the message of its reason. */
const ROW_BYTES = 300;

/** The newest firings with `from` ≤ nominal time < `before`, newest first, as many as fit into a page. */
export async function newestFirings(
  store: Store,
  pages: PageBudget,
  { scheduleID, accountID, limit, from, before }: FiringQuery,
): Promise<FiringPage> {
  const { rows: sizes, more } = await pageBySize<FiringSize>(
    (last, count) => olderSizes(store, scheduleID, { from, before: last?.nominal_at ?? before }, count),
    { rows: limit, bytes: PAGE_BYTES },
  );
  const [newest, oldest] = [sizes[0], sizes.at(-1)];
  if (!newest || !oldest) return { firings: [] };
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  const range = [oldest.nominal_at, newest.nominal_at] as const;
  const firings = await pages.read(accountID, bytes, () => listedFirings(store, scheduleID, range, sizes.length));
  return { firings, ...(more && { older: { before: oldest.nominal_at.toISOString() } }) };
}

function olderSizes(
  store: Store,
  scheduleID: string,
  { from, before }: Pick<FiringQuery, 'from' | 'before'>,
  count: number,
): Promise<FiringSize[]> {
  return store.rows<FiringSize>(
    `SELECT nominal_at, ${ROW_BYTES} + COALESCE(LENGTH(reason_message), 0) AS bytes FROM schedule_firing
      WHERE schedule_id = ? ${from ? 'AND nominal_at >= ?' : ''} ${before ? 'AND nominal_at < ?' : ''}
      ORDER BY nominal_at DESC LIMIT ?`,
    [scheduleID, ...(from ? [from] : []), ...(before ? [before] : []), count],
  );
}

/** Reads the selected firings; `count` bounds them, because more may have been recorded in the range meanwhile. */
async function listedFirings(
  store: Store,
  scheduleID: string,
  [from, to]: readonly [Date, Date],
  count: number,
): Promise<Firing[]> {
  const rows = await store.rows<FiringRow>(
    `SELECT nominal_at, result, instance_id, reason_code, reason_message, settled_at FROM schedule_firing
      WHERE schedule_id = ? AND nominal_at BETWEEN ? AND ? ORDER BY nominal_at DESC LIMIT ?`,
    [scheduleID, from, to, count],
  );
  return rows.map(toFiring);
}

function toFiring(row: FiringRow): Firing {
  return {
    nominalAt: row.nominal_at.toISOString(),
    result: row.result,
    // The id with which a firing was recorded is not shown when there is no instance and there will be none.
    instanceID: row.result === 'skipped' || row.result === 'failed' ? null : row.instance_id,
    reason: row.reason_code === null ? null : { code: row.reason_code, message: row.reason_message ?? '' },
    settledAt: row.settled_at?.toISOString() ?? null,
  };
}
