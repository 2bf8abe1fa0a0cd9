import { deleteInBites, type Store } from '@batuta/database';
import type { FiringAttemptResult } from './attempt-result';
import { writeFiringEvents } from './firing-events';

interface NominalTime {
  scheduleID: string;
  nominalAt: Date;
}

/** A firing to insert: a pending one has the id of its instance, a skipped one the reason. */
export type NewFiring = NominalTime & ({ instanceID: string; expiresAt: Date } | { code: string; message: string });

/** A pending firing that only this replica may attempt until its lease ends. */
export interface LeasedFiring {
  schedule_id: string;
  nominal_at: Date;
  instance_id: string;
  /** The number of attempts, including the one that the lease is for. */
  attempts: number;
  /** START_PERIOD_MS after the firing was recorded; a start that is known not to be accepted by then fails the firing. */
  expires_at: Date;
}

export interface ReturnedLease {
  firing: Pick<LeasedFiring, 'instance_id' | 'attempts'>;
  /** How long no replica leases the firing again. */
  pauseMs: number;
}

const MAX_REASON_LENGTH = 2_000;

/** Inserts firings; an existing firing of the same nominal time is kept, so that no clock change fires a time twice. */
export async function insertFirings(store: Store, firings: NewFiring[], now: Date): Promise<void> {
  if (firings.length === 0) return;
  await store.write(
    `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message,
       next_attempt_at, expires_at, settled_at) VALUES ?
     ON DUPLICATE KEY UPDATE schedule_firing.schedule_id = schedule_firing.schedule_id`,
    [firings.map((firing) => toColumns(firing, now))],
  );
}

/**
 * Leases the pending firings that have waited longest, except those that another replica has leased, and counts the
 * attempt, with the commit.
 */
export async function leasePendingFirings(
  tx: Store,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<LeasedFiring[]> {
  const rows = await tx.rows<LeasedFiring>(
    `SELECT schedule_id, nominal_at, instance_id, attempts + 1 AS attempts, expires_at
       FROM schedule_firing FORCE INDEX (schedule_firing_pending)
      WHERE next_attempt_at <= ? ORDER BY next_attempt_at, schedule_id, nominal_at LIMIT ? FOR UPDATE SKIP LOCKED`,
    [now, limit],
  );
  if (rows.length === 0) return [];
  tx.atCommit('UPDATE schedule_firing SET attempts = attempts + 1, next_attempt_at = ? WHERE instance_id IN (?)', [
    leaseUntil,
    rows.map((row) => row.instance_id),
  ]);
  return rows;
}

/** Extends the lease of an attempt; false when a later one has begun or the schedule was removed. */
export async function renewFiringLease(
  store: Store,
  { instance_id, attempts }: Pick<LeasedFiring, 'instance_id' | 'attempts'>,
  leaseUntil: Date,
): Promise<boolean> {
  const { affectedRows } = await store.write(
    "UPDATE schedule_firing SET next_attempt_at = ? WHERE instance_id = ? AND attempts = ? AND result = 'pending'",
    [leaseUntil, instance_id, attempts],
  );
  return affectedRows === 1;
}

/** Ends leases whose attempts sent nothing; each firing can be leased again after its pause, and the attempt does not count. */
export async function returnLeases(store: Store, returned: ReturnedLease[]): Promise<void> {
  if (returned.length === 0) return;
  const ids = returned.map(({ firing }) => firing.instance_id);
  const pauses = returned.map(({ pauseMs }) => Math.ceil(pauseMs) * 1_000);
  await store.write(
    `UPDATE schedule_firing SET attempts = attempts - 1,
        next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL ELT(FIELD(instance_id, ?), ?) MICROSECOND
      WHERE instance_id IN (?) AND (instance_id, attempts) IN (?) AND result = 'pending'`,
    [ids, pauses, ids, returned.map(({ firing }) => [firing.instance_id, firing.attempts])],
  );
}

/**
 * Writes the result of an attempt: a pending one with the pause until the next attempt, a failed or skipped one with its deliveries of events.
 * Returns false, without effect, when a later attempt has begun or the schedule was removed.
 */
export function saveAttemptResult(
  store: Store,
  firing: LeasedFiring,
  attempt: FiringAttemptResult,
  pauseMs: number,
): Promise<boolean> {
  const { result } = attempt;
  if (result !== 'failed' && result !== 'skipped') return updateResult(store, firing, attempt, pauseMs);
  const { instance_id: eventID, schedule_id: scheduleID, nominal_at: nominalAt } = firing;
  return store.transaction(async (tx) => {
    const isSaved = await updateResult(tx, firing, attempt, pauseMs);
    if (isSaved) await writeFiringEvents(tx, [{ eventID, scheduleID, nominalAt, result, reason: attempt.reason }]);
    return isSaved;
  });
}

async function updateResult(
  store: Store,
  { instance_id, attempts }: Pick<LeasedFiring, 'instance_id' | 'attempts'>,
  attempt: FiringAttemptResult,
  pauseMs: number,
): Promise<boolean> {
  const { code, message } = 'reason' in attempt ? attempt.reason : { code: null, message: null };
  const pending = attempt.result === 'pending';
  const { affectedRows } = await store.write(
    `UPDATE schedule_firing SET result = ?, reason_code = ?, reason_message = ?,
        next_attempt_at = ${pending ? 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND' : 'NULL'},
        settled_at = ${pending ? 'NULL' : 'UTC_TIMESTAMP(3)'}
      WHERE instance_id = ? AND attempts = ? AND result = 'pending'`,
    [
      attempt.result,
      code,
      message?.slice(0, MAX_REASON_LENGTH) ?? null,
      ...(pending ? [pauseMs * 1_000] : []),
      instance_id,
      attempts,
    ],
  );
  return affectedRows === 1;
}

/**
 * Writes the result of accepted starts that all have the same number of attempts. Returns the ids of the instances whose firing was updated;
 * missing are firings that are attempted again, or whose schedule was removed.
 */
export async function saveAccepted(
  store: Store,
  instanceIDs: string[],
  { result, attempts }: { result: 'fired' | 'late'; attempts: number },
): Promise<string[]> {
  const { affectedRows } = await store.write(
    `UPDATE schedule_firing SET result = ?, reason_code = NULL, reason_message = NULL, next_attempt_at = NULL,
        settled_at = UTC_TIMESTAMP(3)
      WHERE instance_id IN (?) AND attempts = ? AND result = 'pending'`,
    [result, instanceIDs, attempts],
  );
  if (affectedRows === instanceIDs.length) return instanceIDs;
  const rows = await store.rows<{ instance_id: string }>(
    'SELECT instance_id FROM schedule_firing WHERE instance_id IN (?) AND attempts = ? AND result = ?',
    [instanceIDs, attempts, result],
  );
  return rows.map((row) => row.instance_id);
}

/** Removes final firings older than `days`, also those that a removal of their schedule left behind; returns their number. */
export function removeOldFirings(store: Store, days: number, isStopping = () => false): Promise<number> {
  const remove = `DELETE FROM schedule_firing WHERE nominal_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
      AND result <> 'pending' ORDER BY nominal_at LIMIT ?`;
  return deleteInBites(store, remove, [days], { isStopping });
}

function toColumns(firing: NewFiring, now: Date): unknown[] {
  const { scheduleID, nominalAt } = firing;
  return 'instanceID' in firing
    ? [scheduleID, nominalAt, firing.instanceID, 'pending', null, null, now, firing.expiresAt, null]
    : [scheduleID, nominalAt, null, 'skipped', firing.code, firing.message, null, null, now];
}
