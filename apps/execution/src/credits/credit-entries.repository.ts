import type { CreditEntry, CreditEntryKind } from '@batuta/contracts';
import type { Store } from '@batuta/database';

interface CreditEntryRow {
  entry_id: number;
  kind: CreditEntryKind;
  amount: number;
  instance_id: string | null;
  reason: string | null;
  created_at: Date;
}

/** Entry ids follow the order of time except among overlapping transactions, each of which takes less than this time. */
const OVERLAP_MS = 60_000;
const MAX_ENTRY_ID = Number.MAX_SAFE_INTEGER;
/** Maximum ids before and after a period of which a page reads the entries: reading them takes less time than a further step of the search. */
const MAX_SPARE_IDS = 100;
/** By how much each distance from the newest entry is larger than the one before, while the search for a time goes back. */
const SEARCH_GROWTH = 4;

/** Ledger entries of a company with `from` ≤ time < `to`, newest first. Reads few entries outside of this period. */
export async function creditEntries(
  store: Store,
  companyID: string,
  { limit, before = MAX_ENTRY_ID, from, to }: { limit: number; before?: number; from?: string; to?: string },
): Promise<{ entries: CreditEntry[]; older?: { before: number } }> {
  const [start, end] = [from === undefined ? new Date(0) : new Date(from), to === undefined ? undefined : new Date(to)];
  const { low: first } =
    from === undefined ? { low: 0 } : await idsAround(store, companyID, start.getTime() - OVERLAP_MS);
  const { high: next } = end ? await idsAround(store, companyID, end.getTime() + OVERLAP_MS) : { high: MAX_ENTRY_ID };
  const rows = await store.rows<CreditEntryRow>(
    `SELECT entry_id, kind, amount, instance_id, reason, created_at FROM credit_entry FORCE INDEX (credit_entry_company)
      WHERE company_id = ? AND entry_id >= ? AND entry_id < ? AND created_at >= ? ${end ? 'AND created_at < ?' : ''}
      ORDER BY entry_id DESC LIMIT ?`,
    [companyID, first, Math.min(before, next), start, ...(end ? [end] : []), limit + 1],
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown.map(toEntry),
    ...(rows.length > limit && last && { older: { before: last.entry_id } }),
  };
}

/**
 * Two ids, at most MAX_SPARE_IDS apart: every entry of a company before `low` is older than `time`, and none from `high` on is. They are found
 * by bisection, because no index has the time. The search begins at the newest entry and goes back by growing distances, so that the number of older entries
 * does not matter.
 */
async function idsAround(store: Store, companyID: string, time: number): Promise<{ low: number; high: number }> {
  const newest = await store.row<{ id: number | null }>(
    'SELECT MAX(entry_id) AS id FROM credit_entry WHERE company_id = ?',
    [companyID],
  );
  let [low, high] = [0, (newest?.id ?? 0) + 1];
  for (let distance = MAX_SPARE_IDS; high - low > MAX_SPARE_IDS; distance *= SEARCH_GROWTH) {
    const isOlderFound = low > 0;
    const middle = isOlderFound ? Math.floor((low + high) / 2) : Math.max(0, high - distance);
    const row = await store.row<{ entry_id: number; created_at: Date }>(
      `SELECT entry_id, created_at FROM credit_entry FORCE INDEX (credit_entry_company)
        WHERE company_id = ? AND entry_id >= ? ORDER BY entry_id LIMIT 1`,
      [companyID, middle],
    );
    if (row && row.created_at.getTime() < time) low = row.entry_id + 1;
    else high = middle;
  }
  return { low, high };
}

function toEntry(row: CreditEntryRow): CreditEntry {
  const { kind, amount, instance_id: instanceID, reason } = row;
  return { at: row.created_at.toISOString(), kind, amount, instanceID, ...(reason !== null && { reason }) };
}
