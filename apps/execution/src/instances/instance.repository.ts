import type { Store } from '@batuta/database';
import type { InstanceRow, LogRow } from './instance-row';
import { statusBefore } from './status-sql';

const COLUMNS = `instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id,
  version_id, version, awaited, trigger_kind, user_name, executor, request_id, status, outcome, desired, fence, session_id,
  last_report, last_line, accepted_at, started_at, finished_at, error_step, error_message, savings_value, fte_hours`;

const CLAIMABLE = statusBefore('claim');

/** The row stays locked until the transaction ends. */
export function lockInstance(tx: Store, instanceID: string): Promise<InstanceRow | undefined> {
  return tx.row<InstanceRow>(`SELECT ${COLUMNS} FROM instance WHERE instance_id = ? FOR UPDATE`, [instanceID]);
}

/** In the order of their ids, so that no two transactions wait for each other. */
export function lockInstances(tx: Store, instanceIDs: string[]): Promise<InstanceRow[]> {
  if (instanceIDs.length === 0) return Promise.resolve([]);
  return tx.rows<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE instance_id IN (?) ORDER BY instance_id FOR UPDATE`,
    [instanceIDs],
  );
}

/** An instance is visible to the account that started it and to the process owner (interpretation 13). */
export function findVisible(store: Store, instanceID: string, accountID: string): Promise<InstanceRow | undefined> {
  return store.row<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE instance_id = ? AND (starter_account_id = ? OR owner_account_id = ?)`,
    [instanceID, accountID, accountID],
  );
}

/** Locks the oldest queued instances that no other transaction has locked. */
export function lockOldestQueued(tx: Store, environmentID: string, limit: number): Promise<InstanceRow[]> {
  return tx.rows<InstanceRow>(OLDEST, [environmentID, limit]);
}

/** A queued instance with its sealed input. */
export type QueuedRow = InstanceRow & { sealed: Buffer | null };

/** As `lockOldestQueued`, with the sealed inputs: one round trip to the database less for every claim. `after` continues behind a row. */
export function lockOldestWithInput(
  tx: Store,
  environmentID: string,
  limit: number,
  after?: QueuedRow,
): Promise<QueuedRow[]> {
  if (!after) return tx.rows(OLDEST_WITH_INPUT, [environmentID, limit]);
  const { accepted_at: acceptedAt, instance_id: instanceID } = after;
  return tx.rows(NEXT_WITH_INPUT, [environmentID, acceptedAt, acceptedAt, instanceID, limit]);
}

/** The index is forced: any other plan sorts, and so locks the whole queue, whatever the limit. */
function oldestQueued(columns: string, condition = ''): string {
  return `SELECT ${columns} FROM instance FORCE INDEX (instance_queue)
      WHERE environment_id = ? AND ${CLAIMABLE} ${condition}
      ORDER BY accepted_at, instance_id LIMIT ? FOR UPDATE SKIP LOCKED`;
}

/** A locking read: a plain read would show the state at the statement's first row, when a later row may not have had its input. */
const INPUT = '(SELECT n.sealed FROM instance_input n WHERE n.instance_id = instance.instance_id LOCK IN SHARE MODE)';

const OLDEST = oldestQueued(COLUMNS);
const OLDEST_WITH_INPUT = oldestQueued(`${COLUMNS}, ${INPUT} AS sealed`);
/** The index serves the first comparison; it could not serve the second alone. */
const NEXT_WITH_INPUT = oldestQueued(
  `${COLUMNS}, ${INPUT} AS sealed`,
  'AND accepted_at >= ? AND (accepted_at, instance_id) > (?, ?)',
);

/** How many instances the queue holds before this one. */
export async function countAhead(store: Store, row: InstanceRow): Promise<number> {
  const counted = await store.row<{ ahead: number }>(
    `SELECT COUNT(*) AS ahead FROM instance FORCE INDEX (instance_queue)
      WHERE environment_id = ? AND ${CLAIMABLE} AND (accepted_at, instance_id) < (?, ?)`,
    [row.environment_id, row.accepted_at, row.instance_id],
  );
  return counted?.ahead ?? 0;
}

/** The number of queued instances of the environment, of which it reads at most `most`. */
export async function countQueued(store: Store, environmentID: string, most: number): Promise<number> {
  const row = await store.row<{ queued: number }>(
    `SELECT COUNT(*) AS queued FROM (SELECT 1 FROM instance FORCE INDEX (instance_queue)
        WHERE environment_id = ? AND ${CLAIMABLE} LIMIT ?) some`,
    [environmentID, most],
  );
  return row?.queued ?? 0;
}

/** The newest `limit` lines after line number `after`, in chronological order (interpretation 9). */
export async function newestLines(store: Store, instanceID: string, limit: number, after: number): Promise<LogRow[]> {
  const rows = await store.rows<LogRow>(
    `SELECT line, logged_at, severity, message, step, evidence FROM instance_log
      WHERE instance_id = ? AND line > ? ORDER BY line DESC LIMIT ?`,
    [instanceID, after, limit],
  );
  return rows.toReversed();
}

/** The oldest `limit` lines after line number `after`. */
export function nextLines(store: Store, instanceID: string, limit: number, after: number): Promise<LogRow[]> {
  return store.rows<LogRow>(
    `SELECT line, logged_at, severity, message, step, evidence FROM instance_log
      WHERE instance_id = ? AND line > ? ORDER BY line LIMIT ?`,
    [instanceID, after, limit],
  );
}

/** Ended instances that began in [`from`, `before`), newest first, without debug runs. */
export function history(
  store: Store,
  processID: string,
  from: Date,
  before: Date,
  limit: number,
): Promise<InstanceRow[]> {
  return store.rows<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE process_id = ? AND history_at >= ? AND history_at < ?
      ORDER BY history_at DESC, instance_id DESC LIMIT ?`,
    [processID, from, before, limit],
  );
}

/** Newest first; `startedBy` = only those that this account started. */
export function newestOf(store: Store, processID: string, limit: number, startedBy?: string): Promise<InstanceRow[]> {
  const starter = startedBy === undefined ? [] : [startedBy];
  return store.rows<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE process_id = ? ${starter.length > 0 ? 'AND starter_account_id = ?' : ''}
      ORDER BY accepted_at DESC, instance_id DESC LIMIT ?`,
    [processID, ...starter, limit],
  );
}
