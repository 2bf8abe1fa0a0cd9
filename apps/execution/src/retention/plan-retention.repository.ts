import { BiteSize, deleteInBites, inBites, type Store } from '@batuta/database';
import { PAGE_OF_PROCESSES, PROCESS_PAGE_SIZE } from '../instances/company-processes';
import type { RetentionResult } from './retention.repository';

// Audit events and ledger entries, which are kept for ever unless the plan of the company says for how many days.

/** Rows of one kind of one company after which a sweep begins no further bite; the next sweep continues. */
const MAX_ROWS_PER_COMPANY = 10_000;
const PAGE_SIZE = 500;
/**
 * Minimum age of a row of `deleted_process` when it is deleted: the process may get an audit event after its deletion, and a sweep of the console
 * inserts the rows of the deletions of its RECENT_HOURS, a shorter time, once more.
 */
const MIN_AGE_OF_DELETION_HOURS = 2;

interface CompanyDays {
  company_id: string;
  days: number;
}

interface LedgerRow {
  entry_id: number;
  kind: string;
  amount: number;
  due: number;
}

/**
 * Deletes the audit events that are older than the `audit_days` of the company's plan. Events of processes without a
 * company stay.
 */
export async function deleteAuditEvents(store: Store, isStopping = () => false): Promise<RetentionResult> {
  const read = (after: string) =>
    store.rows<CompanyDays>(
      `SELECT c.company_id, p.audit_days AS days FROM company c STRAIGHT_JOIN plan p ON p.plan_id = c.plan_id
        WHERE c.company_id > ? AND p.audit_days IS NOT NULL ORDER BY c.company_id LIMIT ?`,
      [after, PAGE_SIZE],
    );
  return forEachCompany(read, isStopping, (company) => deleteEventsOfCompany(store, company, isStopping));
}

/**
 * Deletes the ledger entries that are older than the `ledger_days` of the company's plan. One entry of the kind
 * `carried` keeps their sum, so that the balance stays the sum of the ledger at every commit (interpretation 40).
 */
export async function carryLedgers(store: Store, isStopping = () => false): Promise<RetentionResult> {
  const read = (after: string) =>
    store.rows<CompanyDays>(
      `SELECT c.company_id, p.ledger_days AS days FROM company c STRAIGHT_JOIN plan p ON p.plan_id = c.plan_id
        WHERE c.company_id > ? AND p.ledger_days IS NOT NULL ORDER BY c.company_id LIMIT ?`,
      [after, PAGE_SIZE],
    );
  return forEachCompany(read, isStopping, (company) => carryLedger(store, company, isStopping));
}

async function forEachCompany(
  read: (after: string) => Promise<CompanyDays[]>,
  isStopping: () => boolean,
  work: (company: CompanyDays) => Promise<RetentionResult>,
): Promise<RetentionResult> {
  const total: RetentionResult = { rows: 0, behindSeconds: 0 };
  for (let page = await read(''); page.length > 0; page = await read(page.at(-1)?.company_id ?? '')) {
    for (const company of page) {
      if (isStopping()) return total;
      const { rows, behindSeconds } = await work(company);
      total.rows += rows;
      total.behindSeconds = Math.max(total.behindSeconds, behindSeconds);
    }
  }
  return total;
}

async function deleteEventsOfCompany(
  store: Store,
  { company_id, days }: CompanyDays,
  isStopping: () => boolean,
): Promise<RetentionResult> {
  const size = new BiteSize();
  let rows = 0;
  let behindSeconds = 0;
  for (let last = '', isLast = false; !isLast && !isStopping();) {
    const page = await oldestEvents(store, company_id, days, last);
    for (const { process_id, oldest, behind } of page) {
      if (behind === null || behind <= 0 || isStopping()) continue;
      await deleteRowsOfDeletedEvents(store, process_id, oldest);
      const maxRows = MAX_ROWS_PER_COMPANY - rows;
      if (maxRows > 0)
        rows += await inBites((limit) => deleteOldEvents(store, process_id, days, limit), {
          maxRows,
          size,
          isStopping,
        });
      // A sweep that has reached its limit may have left old events of this process.
      if (rows >= MAX_ROWS_PER_COMPANY) behindSeconds = Math.max(behindSeconds, behind);
    }
    last = page.at(-1)?.process_id ?? last;
    isLast = page.length < PROCESS_PAGE_SIZE || rows >= MAX_ROWS_PER_COMPANY;
  }
  return { rows, behindSeconds };
}

/** Processes of the company after `last` with their oldest event, and by how many seconds it is overdue; null = it has none. */
function oldestEvents(
  store: Store,
  companyID: string,
  days: number,
  last: string,
): Promise<{ process_id: string; oldest: number | null; behind: number | null }[]> {
  return store.rows(
    `SELECT processes.process_id, oldest, TIMESTAMPDIFF(SECOND, e.created_at + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind
       FROM (SELECT page.process_id, (SELECT e.event_id FROM audit_event e WHERE e.process_id = page.process_id
                                       ORDER BY e.event_id LIMIT 1) AS oldest
               FROM (${PAGE_OF_PROCESSES}) page) processes
       LEFT JOIN audit_event e ON e.event_id = oldest ORDER BY processes.process_id`,
    [days, companyID, last, companyID, last],
  );
}

/** Deletes the rows for shares that the previous release left when it deleted their events, which are older than the oldest event. */
async function deleteRowsOfDeletedEvents(store: Store, processID: string, oldest: number | null): Promise<void> {
  const sql = 'DELETE FROM share_event WHERE process_id = ? AND event_id < ? ORDER BY event_id LIMIT ?';
  await deleteInBites(store, sql, [processID, oldest]);
}

/**
 * Deletes the oldest events of the process that are due. No index has their time, so they are read by their numbers, up
 * to the first one that is not due.
 */
async function deleteOldEvents(store: Store, processID: string, days: number, limit: number): Promise<number> {
  const oldest = await store.rows<{ event_id: number; due: number }>(
    `SELECT event_id, created_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY AS due FROM audit_event
      WHERE process_id = ? ORDER BY event_id LIMIT ?`,
    [days, processID, limit],
  );
  const due = dueRows(oldest);
  const last = due.at(-1);
  if (!last) return 0;
  await store.write('DELETE FROM share_event WHERE process_id = ? AND event_id <= ?', [processID, last.event_id]);
  await store.write('DELETE FROM audit_event WHERE event_id IN (?)', [eventIDs(due)]);
  return due.length;
}

const eventIDs = (rows: { event_id: number }[]) => rows.map((row) => row.event_id);

/** Where the next call of `removeDeletedProcesses` begins: after this id. The cursor is in memory, so a restarted replica starts over. */
export interface DeletedProcessCursor {
  after: string;
}

/**
 * Deletes the rows of `deleted_process`, which keep the company of a deleted process for its audit events, once a process
 * has no such event: it never had one, or retention deleted them. Each call reads one page, moves the cursor, and returns
 * how many rows it deleted. An event such as that of a cancelled queue may follow a deletion.
 */
export async function removeDeletedProcesses(store: Store, cursor: DeletedProcessCursor): Promise<number> {
  const page = await store.rows<{ process_id: string; event_id: number | null }>(
    `SELECT d.process_id, (SELECT e.event_id FROM audit_event e WHERE e.process_id = d.process_id
                            ORDER BY e.event_id LIMIT 1) AS event_id
       FROM (SELECT process_id FROM deleted_process
              WHERE process_id > ? AND deleted_at < UTC_TIMESTAMP(3) - INTERVAL ? HOUR ORDER BY process_id LIMIT ?) d
      ORDER BY d.process_id`,
    [cursor.after, MIN_AGE_OF_DELETION_HOURS, PAGE_SIZE],
  );
  const unused = page.flatMap(({ process_id, event_id }) => (event_id === null ? [process_id] : []));
  if (unused.length > 0) {
    // Rows of events that the previous release deleted.
    await deleteInBites(store, 'DELETE FROM share_event WHERE process_id IN (?) LIMIT ?', [unused]);
    await store.write('DELETE FROM deleted_process WHERE process_id IN (?)', [unused]);
  }
  cursor.after = page.length < PAGE_SIZE ? '' : (page.at(-1)?.process_id ?? '');
  return unused.length;
}

async function carryLedger(
  store: Store,
  { company_id: companyID, days }: CompanyDays,
  isStopping: () => boolean,
): Promise<RetentionResult> {
  let rows = 0;
  await inBites(
    async (limit) => {
      const { read, removed } = await store.transaction((tx) => carryOldest(tx, companyID, days, limit));
      rows += removed;
      return read;
    },
    { maxRows: MAX_ROWS_PER_COMPANY, isStopping },
  );
  return { rows, behindSeconds: await ledgerBehind(store, companyID, days) };
}

/**
 * Replaces the oldest entries, of which an earlier `carried` entry is one, by one `carried` entry with their sum. The
 * new entry has the number and the time of the newest of them, so that the order and the pages of the ledger stay. The
 * lock of the oldest entry makes a second replica wait; it then reads the remaining entries. A start waits for none of
 * these locks, because it only adds an entry.
 *
 * Only the age of an entry counts, even if its instance has not ended: the row in `instance`, and not the ledger entry,
 * refuses a second start with the same id and says what is refunded.
 */
async function carryOldest(
  tx: Store,
  companyID: string,
  days: number,
  limit: number,
): Promise<{ read: number; removed: number }> {
  const oldest = await tx.rows<LedgerRow>(
    `SELECT entry_id, kind, amount, created_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY AS due
       FROM credit_entry FORCE INDEX (credit_entry_time)
      WHERE company_id = ? ORDER BY created_at, entry_id LIMIT ? FOR UPDATE`,
    [days, companyID, limit],
  );
  const due = dueRows(oldest);
  const entries = due.filter(({ kind }) => kind !== 'carried');
  const newest = due.at(-1);
  if (newest === undefined || entries.length === 0) return { read: 0, removed: 0 };
  const sum = due.reduce((total, { amount }) => total + amount, 0);
  const others = due.slice(0, -1).map((row) => row.entry_id);
  if (others.length > 0) tx.atCommit('DELETE FROM credit_entry WHERE entry_id IN (?)', [others]);
  tx.atCommit(
    "UPDATE credit_entry SET kind = 'carried', amount = ?, instance_id = NULL, reason = NULL WHERE entry_id = ?",
    [sum, newest.entry_id],
  );
  return { read: due.length, removed: entries.length };
}

/** By how many seconds the oldest entry that is not carried is overdue. */
async function ledgerBehind(store: Store, companyID: string, days: number): Promise<number> {
  const oldest = await store.rows<{ kind: string; behind: number }>(
    `SELECT kind, TIMESTAMPDIFF(SECOND, created_at + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind
       FROM credit_entry FORCE INDEX (credit_entry_time) WHERE company_id = ? ORDER BY created_at, entry_id LIMIT 2`,
    [days, companyID],
  );
  return Math.max(0, oldest.find(({ kind }) => kind !== 'carried')?.behind ?? 0);
}

/**
 * The rows before the first one that is not due: numbers and times grow together, except among overlapping
 * transactions.
 */
function dueRows<Row extends { due: number }>(rows: Row[]): Row[] {
  const firstNotDue = rows.findIndex(({ due }) => due === 0);
  return firstNotDue === -1 ? rows : rows.slice(0, firstNotDue);
}
