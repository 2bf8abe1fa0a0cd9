import type { Firing, FiringResult } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { Verdict } from './verdict';

/** A nominal time to be written down: to be tried (with its instance) or skipped (with the reason). */
export type NewFiring = { scheduleID: string; nominalAt: Date } & (
  { instanceID: string; expiresAt: Date } | { code: string; message: string }
);

/** A firing that this replica may try until the lease ends. */
export interface LeasedFiring {
  schedule_id: string;
  nominal_at: Date;
  instance_id: string;
  /** This one included. */
  attempts: number;
  expires_at: Date;
}

interface FiringRow {
  nominal_at: Date;
  result: FiringResult;
  instance_id: string | null;
  reason_code: string | null;
  reason_message: string | null;
  settled_at: Date | null;
}

const REASON_LENGTH = 2_000;

/** A time that has a record keeps it: whatever clocks do, none is fired twice. */
export async function record(store: Store, firings: NewFiring[], now: Date): Promise<void> {
  if (firings.length === 0) return;
  await store.write(
    `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message,
       next_attempt_at, expires_at, settled_at) VALUES ?
     ON DUPLICATE KEY UPDATE schedule_firing.schedule_id = schedule_firing.schedule_id`,
    [firings.map((firing) => toColumns(firing, now))],
  );
}

/** Firings that have waited for longest and that no other replica is trying; leased and counted as tried. */
export async function lease(tx: Store, now: Date, leaseUntil: Date, limit: number): Promise<LeasedFiring[]> {
  const rows = await tx.rows<LeasedFiring>(
    `SELECT schedule_id, nominal_at, instance_id, attempts + 1 AS attempts, expires_at
       FROM schedule_firing FORCE INDEX (schedule_firing_pending)
      WHERE next_attempt_at <= ? ORDER BY next_attempt_at, schedule_id, nominal_at LIMIT ? FOR UPDATE SKIP LOCKED`,
    [now, limit],
  );
  if (rows.length === 0) return [];
  await tx.write('UPDATE schedule_firing SET attempts = attempts + 1, next_attempt_at = ? WHERE instance_id IN (?)', [
    leaseUntil,
    rows.map((row) => row.instance_id),
  ]);
  return rows;
}

/** Writes what an attempt came to; false when a later attempt has taken over, or the schedule is gone. */
export async function settle(
  store: Store,
  { instance_id, attempts }: Pick<LeasedFiring, 'instance_id' | 'attempts'>,
  verdict: Verdict,
  pauseMilliseconds: number,
): Promise<boolean> {
  const { code, message } = 'reason' in verdict ? verdict.reason : { code: null, message: null };
  const pending = verdict.result === 'pending';
  const { affectedRows } = await store.write(
    `UPDATE schedule_firing SET result = ?, reason_code = ?, reason_message = ?,
        next_attempt_at = ${pending ? 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND' : 'NULL'},
        settled_at = ${pending ? 'NULL' : 'UTC_TIMESTAMP(3)'}
      WHERE instance_id = ? AND attempts = ? AND result = 'pending'`,
    [
      verdict.result,
      code,
      message?.slice(0, REASON_LENGTH) ?? null,
      ...(pending ? [pauseMilliseconds * 1_000] : []),
      instance_id,
      attempts,
    ],
  );
  return affectedRows === 1;
}

/** Newest first. */
export async function newest(
  store: Store,
  scheduleID: string,
  before: Date | undefined,
  limit: number,
): Promise<Firing[]> {
  const rows = await store.rows<FiringRow>(
    `SELECT nominal_at, result, instance_id, reason_code, reason_message, settled_at FROM schedule_firing
      WHERE schedule_id = ? ${before ? 'AND nominal_at < ?' : ''} ORDER BY nominal_at DESC LIMIT ?`,
    [scheduleID, ...(before ? [before] : []), limit],
  );
  return rows.map(toFiring);
}

function toColumns(firing: NewFiring, now: Date): unknown[] {
  const { scheduleID, nominalAt } = firing;
  return 'instanceID' in firing
    ? [scheduleID, nominalAt, firing.instanceID, 'pending', null, null, now, firing.expiresAt, null]
    : [scheduleID, nominalAt, null, 'skipped', firing.code, firing.message, null, null, now];
}

function toFiring(row: FiringRow): Firing {
  return {
    nominalAt: row.nominal_at.toISOString(),
    result: row.result,
    instanceID: row.instance_id,
    reason: row.reason_code === null ? null : { code: row.reason_code, message: row.reason_message ?? '' },
    settledAt: row.settled_at?.toISOString() ?? null,
  };
}
