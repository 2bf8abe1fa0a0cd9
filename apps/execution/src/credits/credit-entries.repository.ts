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

interface LedgerPage {
  limit: number;
  before?: number;
  from?: string;
  to?: string;
}

/**
 * Ledger entries of a company with `from` ≤ time < `to`, newest first; of equal times, the one with the larger number. `before` = the number
 * of the last entry of the previous page. `older` is the cursor of the next page, and absent at the end.
 */
export async function creditEntries(
  store: Store,
  companyID: string,
  { limit, before, from, to }: LedgerPage,
): Promise<{ entries: CreditEntry[]; older?: { before: number } }> {
  const previous = before === undefined ? undefined : await timeOf(store, companyID, before);
  // Retention has probably replaced the last entry of the previous page, and with it all older ones.
  if (before !== undefined && !previous) return { entries: [] };
  const rows = await store.rows<CreditEntryRow>(
    `SELECT entry_id, kind, amount, instance_id, reason, created_at FROM credit_entry FORCE INDEX (credit_entry_time)
      WHERE company_id = ? ${from ? 'AND created_at >= ?' : ''} ${to ? 'AND created_at < ?' : ''}
        ${previous ? 'AND created_at <= ? AND (created_at < ? OR entry_id < ?)' : ''}
      ORDER BY created_at DESC, entry_id DESC LIMIT ?`,
    [
      companyID,
      ...(from ? [new Date(from)] : []),
      ...(to ? [new Date(to)] : []),
      ...(previous ? [previous, previous, before] : []),
      limit + 1,
    ],
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown.map(toEntry),
    ...(rows.length > limit && last && { older: { before: last.entry_id } }),
  };
}

async function timeOf(store: Store, companyID: string, entryID: number): Promise<Date | undefined> {
  const row = await store.row<{ created_at: Date }>(
    'SELECT created_at FROM credit_entry WHERE entry_id = ? AND company_id = ?',
    [entryID, companyID],
  );
  return row?.created_at;
}

function toEntry(row: CreditEntryRow): CreditEntry {
  const { kind, amount, instance_id: instanceID, reason } = row;
  return { at: row.created_at.toISOString(), kind, amount, instanceID, ...(reason !== null && { reason }) };
}
