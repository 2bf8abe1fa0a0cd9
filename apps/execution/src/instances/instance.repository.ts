import type { InstanceResponse } from '@batuta/contracts';
import { PAGE_BYTES, pageBySize, type Store } from '@batuta/database';
import { shownJson } from './instance-body';
import type { InstanceRow } from './instance-row';
import { statusBefore } from './status-sql';

export const INSTANCE_COLUMNS = `instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id,
  version_id, version, awaited, needs, trigger_kind, user_name, executor, request_id, status, outcome, desired, fence, session_id,
  last_report, last_line, evidence_bytes, traceparent, accepted_at, started_at, finished_at, error_step, error_message, savings_value, fte_hours`;

const IS_CLAIMABLE = statusBefore('claim');

/** Reads the row of an instance and locks it until the transaction ends. */
export function lockInstance(tx: Store, instanceID: string): Promise<InstanceRow | undefined> {
  return tx.row<InstanceRow>(`SELECT ${INSTANCE_COLUMNS} FROM instance WHERE instance_id = ? FOR UPDATE`, [instanceID]);
}

/** Reads instances and locks them in the order of their ids, so that no two transactions wait for each other. Unknown ids are left out. */
export function lockInstances(tx: Store, instanceIDs: string[]): Promise<InstanceRow[]> {
  if (instanceIDs.length === 0) return Promise.resolve([]);
  return tx.rows<InstanceRow>(
    `SELECT ${INSTANCE_COLUMNS} FROM instance WHERE instance_id IN (?) ORDER BY instance_id FOR UPDATE`,
    [instanceIDs],
  );
}

/** Reads an instance that the account started, or whose process the account owned at the start (interpretation 13); undefined otherwise. */
export function findVisibleInstance(
  store: Store,
  instanceID: string,
  accountID: string,
): Promise<InstanceRow | undefined> {
  return store.row<InstanceRow>(
    `SELECT ${INSTANCE_COLUMNS} FROM instance WHERE instance_id = ? AND (starter_account_id = ? OR owner_account_id = ?)`,
    [instanceID, accountID, accountID],
  );
}

/** A queued instance with its sealed input: an empty buffer for a large input, which `readSealedInput` reads, and null if there is no input. */
export type QueuedRow = InstanceRow & { sealed: Buffer | null };

export const hasLargeInput = ({ sealed }: QueuedRow): boolean => sealed?.length === 0;

/**
 * Locks the oldest queued instances that no other transaction has locked and that are not being cancelled, and reads
 * their small sealed inputs in the same round trip. Large inputs are read one by one with `readSealedInput`. With `after`,
 * only rows behind that row are locked and read.
 */
export function lockOldestWithInput(
  tx: Store,
  environmentID: string,
  limit: number,
  after?: QueuedRow,
): Promise<QueuedRow[]> {
  if (!after) return tx.rows(SELECT_OLDEST_WITH_INPUT, [environmentID, environmentID, limit]);
  const { accepted_at: acceptedAt, instance_id: instanceID } = after;
  return tx.rows(SELECT_NEXT_WITH_INPUT, [environmentID, environmentID, acceptedAt, acceptedAt, instanceID, limit]);
}

/** Like `lockOldestWithInput`, but reads only instances with these needs. */
export function lockOldestNeeding(
  tx: Store,
  environmentID: string,
  needs: string | null,
  limit: number,
  after?: QueuedRow,
): Promise<QueuedRow[]> {
  if (!after) return tx.rows(SELECT_OLDEST_NEEDING, [environmentID, environmentID, needs, limit]);
  const { accepted_at: acceptedAt, instance_id: instanceID } = after;
  return tx.rows(SELECT_NEXT_NEEDING, [environmentID, environmentID, acceptedAt, acceptedAt, instanceID, needs, limit]);
}

/**
 * The needs of one queued instance whose needs are not among the known ones; undefined when there is none. Reads one entry of
 * the index for each known one.
 */
export async function findOtherNeeds(tx: Store, environmentID: string, known: string[]): Promise<string | undefined> {
  const other = known.length === 0 ? 'IS NOT NULL' : 'NOT IN (?)';
  const row = await tx.row<{ needs: string }>(
    `SELECT needs FROM instance FORCE INDEX (instance_queue_needs)
      WHERE environment_id = ? AND claimed_at IS NULL AND needs ${other} AND ${IS_CLAIMABLE} LIMIT 1`,
    known.length === 0 ? [environmentID] : [environmentID, known],
  );
  return row?.needs;
}

/** Records, with the commit, the needs that the rows of queued instances lack, because the previous release or an earlier setting wrote them. */
export function recordNeeds(tx: Store, instances: readonly { instanceID: string; needs: string }[]): void {
  for (const needs of new Set(instances.map((instance) => instance.needs))) {
    const ids = instances.flatMap((instance) => (instance.needs === needs ? [instance.instanceID] : []));
    tx.atCommit('UPDATE instance SET needs = ? WHERE instance_id IN (?)', [needs, ids]);
  }
}

/** Locks the oldest queued instances of the environment that are being cancelled and that no other transaction has locked. */
export function lockCancelled(tx: Store, environmentID: string, limit: number): Promise<InstanceRow[]> {
  return tx.rows<InstanceRow>(SELECT_CANCELLED, [environmentID, environmentID, limit]);
}

/** Whether the queue still has instances that are being cancelled; unlike `lockCancelled` it also sees those that are locked. */
export async function hasCancelled(store: Store, environmentID: string): Promise<boolean> {
  return (await store.row(SELECT_ANY_CANCELLED, [environmentID, environmentID])) !== undefined;
}

/**
 * `cancel_before` divides a queue: instances that were accepted before it are cancelled and never claimed. Both
 * conditions bound the range of the index, so that a claim reads none of the many cancelled rows.
 */
const CANCEL_BEFORE = '(SELECT cancel_before FROM queue_cancellation WHERE environment_id = ?)';
const IS_CANCELLED = `accepted_at < ${CANCEL_BEFORE}`;
const NOT_CANCELLED = `accepted_at >= COALESCE(${CANCEL_BEFORE}, TIMESTAMP'1000-01-01 00:00:00')`;

/** The index is forced, because every other plan sorts and so locks the whole queue, whatever the limit. */
function oldestQueued(columns: string, condition: string, index = 'instance_queue'): string {
  return `SELECT ${columns} FROM instance FORCE INDEX (${index})
      WHERE environment_id = ? AND ${IS_CLAIMABLE} AND ${condition}
      ORDER BY accepted_at, instance_id LIMIT ? FOR UPDATE SKIP LOCKED`;
}

/** The sealed input of an instance whose row this transaction has locked. */
export async function readSealedInput(tx: Store, instanceID: string): Promise<Buffer | null> {
  const sql = 'SELECT sealed FROM instance_input WHERE instance_id = ?';
  return (await tx.row<{ sealed: Buffer }>(sql, [instanceID]))?.sealed ?? null;
}

/**
 * Largest sealed input that a claim reads together with its row. A claim reads dozens of them at once; a large input may have more than a
 * megabyte.
 */
const SMALL_INPUT_BYTES = 16 * 1_024;

/**
 * LOCK IN SHARE MODE, because a plain read would use a snapshot from the beginning of the statement, in which a newer
 * row may have no input yet.
 */
const SMALL_INPUT_COLUMN = `(SELECT IF(OCTET_LENGTH(n.sealed) <= ${SMALL_INPUT_BYTES}, n.sealed, x'') FROM instance_input n
  WHERE n.instance_id = instance.instance_id LOCK IN SHARE MODE)`;

const SELECT_CANCELLED = oldestQueued(INSTANCE_COLUMNS, IS_CANCELLED);
const SELECT_ANY_CANCELLED = `SELECT 1 FROM instance FORCE INDEX (instance_queue)
  WHERE environment_id = ? AND ${IS_CLAIMABLE} AND ${IS_CANCELLED} LIMIT 1`;
const SELECT_OLDEST_WITH_INPUT = oldestQueued(`${INSTANCE_COLUMNS}, ${SMALL_INPUT_COLUMN} AS sealed`, NOT_CANCELLED);
/** The first comparison lets the index bound the range; the row comparison alone would not. */
const IS_LATER = `${NOT_CANCELLED} AND accepted_at >= ? AND (accepted_at, instance_id) > (?, ?)`;
const SELECT_NEXT_WITH_INPUT = oldestQueued(`${INSTANCE_COLUMNS}, ${SMALL_INPUT_COLUMN} AS sealed`, IS_LATER);
const SELECT_OLDEST_NEEDING = oldestNeeding(NOT_CANCELLED);
const SELECT_NEXT_NEEDING = oldestNeeding(IS_LATER);

/** The index has `claimed_at` and not the status, which changes more often; `claimed_at` is null only in the queue. */
function oldestNeeding(condition: string): string {
  const fitting = `claimed_at IS NULL AND ${condition} AND needs <=> ?`;
  return oldestQueued(`${INSTANCE_COLUMNS}, ${SMALL_INPUT_COLUMN} AS sealed`, fitting, 'instance_queue_needs');
}

/**
 * How many instances the queue holds before this one, without those that are being cancelled; at most `most` are read.
 * The first comparison of the times lets the index bound the range, so that later instances are not read; the second
 * alone would not.
 */
export async function countAhead(
  store: Store,
  row: Pick<InstanceRow, 'environment_id' | 'accepted_at' | 'instance_id'>,
  most: number,
): Promise<number> {
  const counted = await store.row<{ ahead: number }>(
    `SELECT COUNT(*) AS ahead FROM (SELECT 1 FROM instance FORCE INDEX (instance_queue)
        WHERE environment_id = ? AND ${IS_CLAIMABLE} AND ${NOT_CANCELLED}
          AND accepted_at <= ? AND (accepted_at, instance_id) < (?, ?) LIMIT ?) some`,
    [row.environment_id, row.environment_id, row.accepted_at, row.accepted_at, row.instance_id, most],
  );
  return counted?.ahead ?? 0;
}

/** The number of queued instances of the environment that are not being cancelled, of which it reads at most `most`. */
export async function countQueued(store: Store, environmentID: string, most: number): Promise<number> {
  const row = await store.row<{ queued: number }>(
    `SELECT COUNT(*) AS queued FROM (SELECT 1 FROM instance FORCE INDEX (instance_queue)
        WHERE environment_id = ? AND ${IS_CLAIMABLE} AND ${NOT_CANCELLED} LIMIT ?) some`,
    [environmentID, environmentID, most],
  );
  return row?.queued ?? 0;
}

/** Estimated bytes of an instance besides the message of its error. */
const ROW_BYTES = 1_000;

interface InstanceSize {
  instance_id: string;
  accepted_at: Date;
  bytes: number;
}

/**
 * The newest instances of a process that fit into a page. `before` = only those older than this instance, which was accepted at `beforeTime`;
 * without `beforeTime`, none when that instance does not exist. `startedBy` = only those that this account started.
 */
export async function newestInstancePositions(
  store: Store,
  processID: string,
  page: { limit: number; before?: string; beforeTime?: string; startedBy?: string },
): Promise<{ positions: ListPosition[]; more: boolean }> {
  const { limit, before, startedBy } = page;
  const start = before === undefined ? undefined : await listPositionOf(store, processID, before, page.beforeTime);
  if (before !== undefined && !start) return { positions: [], more: false };
  const { rows, more } = await pageBySize<InstanceSize>(
    (last, count) => olderSizes(store, { processID, startedBy }, last ?? start, count),
    { rows: limit, bytes: PAGE_BYTES },
  );
  return { positions: rows, more };
}

/** The instances with these ids, newest first. */
export async function instancesNewestFirst(store: Store, ids: string[]): Promise<InstanceRow[]> {
  if (ids.length === 0) return [];
  return store.rows<InstanceRow>(
    `SELECT ${INSTANCE_COLUMNS} FROM instance WHERE instance_id IN (?) ORDER BY accepted_at DESC, instance_id DESC`,
    [ids],
  );
}

type ListPosition = Pick<InstanceSize, 'instance_id' | 'accepted_at'>;

async function listPositionOf(store: Store, processID: string, instanceID: string, acceptedAt?: string) {
  if (acceptedAt !== undefined) return { instance_id: instanceID, accepted_at: new Date(acceptedAt) };
  return store.row<ListPosition>(
    'SELECT instance_id, accepted_at FROM instance WHERE instance_id = ? AND process_id = ?',
    [instanceID, processID],
  );
}

/**
 * The first comparison lets the index bound the range; the row comparison alone would not. Unless the index is forced,
 * the server may read every newer instance of the process before it reaches an old page.
 */
function olderSizes(
  store: Store,
  { processID, startedBy }: { processID: string; startedBy?: string },
  last: ListPosition | undefined,
  count: number,
): Promise<InstanceSize[]> {
  const [index, starter] =
    startedBy === undefined ? ['instance_process', ''] : ['instance_starter', 'AND starter_account_id = ?'];
  const earlier = last ? 'AND accepted_at <= ? AND (accepted_at, instance_id) < (?, ?)' : '';
  return store.rows<InstanceSize>(
    `SELECT instance_id, accepted_at, ${ROW_BYTES} + COALESCE(LENGTH(error_message), 0) AS bytes
       FROM instance FORCE INDEX (${index})
      WHERE process_id = ? ${starter} ${earlier} ORDER BY accepted_at DESC, instance_id DESC LIMIT ?`,
    [
      processID,
      ...(startedBy === undefined ? [] : [startedBy]),
      ...(last ? [last.accepted_at, last.accepted_at, last.instance_id] : []),
      count,
    ],
  );
}

/** The answer as it is shown with the instance; undefined when there is no valid one. */
export async function responseOf(store: Store, instanceID: string): Promise<InstanceResponse | undefined> {
  const row = await store.row<{ valid: number; code: number | null; body: string | null; masked: string | null }>(
    `SELECT a.valid, a.code, a.body, s.masked FROM instance_answer a
       LEFT JOIN instance_secret_answer s ON s.instance_id = a.instance_id
      WHERE a.instance_id = ?`,
    [instanceID],
  );
  const text = row?.masked ?? row?.body;
  if (row?.valid !== 1 || row.code === null || typeof text !== 'string') return undefined;
  return { code: row.code, body: shownJson(text) };
}
