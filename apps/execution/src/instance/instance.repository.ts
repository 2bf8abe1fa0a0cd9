import type { Store } from '@batuta/database';
import type { InstanceRow, LogRow } from './bodies';

const COLUMNS = `instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id,
  version_id, version, awaited, trigger_kind, user_name, executor, request_id, status, outcome, desired, fence, session_id,
  last_report, last_line, accepted_at, started_at, finished_at, error_step, error_message, savings_value, fte_hours`;

/** The row, locked until the transaction ends. */
export function lockInstance(tx: Store, instanceID: string): Promise<InstanceRow | undefined> {
  return tx.row<InstanceRow>(`SELECT ${COLUMNS} FROM instance WHERE instance_id = ? FOR UPDATE`, [instanceID]);
}

/** Visible to who started it and to the process owner (interpretation 13). */
export function findVisible(store: Store, instanceID: string, accountID: string): Promise<InstanceRow | undefined> {
  return store.row<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE instance_id = ? AND (starter_account_id = ? OR owner_account_id = ?)`,
    [instanceID, accountID, accountID],
  );
}

/**
 * Locks the oldest queued instances that nobody else is claiming. The index is forced: any other plan sorts, and so
 * locks the whole queue, whatever the limit.
 */
export function lockOldestQueued(tx: Store, environmentID: string, limit: number): Promise<InstanceRow[]> {
  return tx.rows<InstanceRow>(oldestQueued(COLUMNS, ''), [environmentID, limit]);
}

/** With its sealed input. */
export type QueuedRow = InstanceRow & { sealed: Buffer | null };

/** The same, each with its input: one trip to the database less for every claim. Those behind `after`, if it is given. */
export function lockOldestWithInput(
  tx: Store,
  environmentID: string,
  limit: number,
  after?: QueuedRow,
): Promise<QueuedRow[]> {
  const behind = after ? [after.accepted_at, after.accepted_at, after.instance_id] : [];
  // The first comparison is the index's to use, the second alone is not.
  const condition = after ? 'AND accepted_at >= ? AND (accepted_at, instance_id) > (?, ?)' : '';
  return tx.rows(oldestQueued(`${COLUMNS}, ${INPUT} AS sealed`, condition), [environmentID, ...behind, limit]);
}

/** A locking read: a plain one shows the moment of the statement's first row, in which a later row may not have its input. */
const INPUT = '(SELECT n.sealed FROM instance_input n WHERE n.instance_id = instance.instance_id LOCK IN SHARE MODE)';

function oldestQueued(columns: string, condition: string): string {
  return `SELECT ${columns} FROM instance FORCE INDEX (instance_queue)
      WHERE environment_id = ? AND status = 'queued' ${condition}
      ORDER BY accepted_at, instance_id LIMIT ? FOR UPDATE SKIP LOCKED`;
}

export function lockInstances(tx: Store, instanceIDs: string[]): Promise<InstanceRow[]> {
  if (instanceIDs.length === 0) return Promise.resolve([]);
  return tx.rows<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE instance_id IN (?) ORDER BY instance_id FOR UPDATE`,
    [instanceIDs],
  );
}

/** The newest `limit` lines behind `after`, in chronological order (interpretation 9). */
export async function newestLines(store: Store, instanceID: string, limit: number, after: number): Promise<LogRow[]> {
  const rows = await store.rows<LogRow>(
    `SELECT line, logged_at, severity, message, step, evidence FROM instance_log
      WHERE instance_id = ? AND line > ? ORDER BY line DESC LIMIT ?`,
    [instanceID, after, limit],
  );
  return rows.toReversed();
}

/** The oldest `limit` lines behind `after`. */
export function nextLines(store: Store, instanceID: string, limit: number, after: number): Promise<LogRow[]> {
  return store.rows<LogRow>(
    `SELECT line, logged_at, severity, message, step, evidence FROM instance_log
      WHERE instance_id = ? AND line > ? ORDER BY line LIMIT ?`,
    [instanceID, after, limit],
  );
}

/** How many are queued before this one. */
export async function countAhead(store: Store, row: InstanceRow): Promise<number> {
  const counted = await store.row<{ ahead: number }>(
    `SELECT COUNT(*) AS ahead FROM instance FORCE INDEX (instance_queue)
      WHERE environment_id = ? AND status = 'queued' AND (accepted_at, instance_id) < (?, ?)`,
    [row.environment_id, row.accepted_at, row.instance_id],
  );
  return counted?.ahead ?? 0;
}

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

export function newestOf(store: Store, processID: string, limit: number): Promise<InstanceRow[]> {
  return store.rows<InstanceRow>(
    `SELECT ${COLUMNS} FROM instance WHERE process_id = ? ORDER BY accepted_at DESC, instance_id DESC LIMIT ?`,
    [processID, limit],
  );
}
