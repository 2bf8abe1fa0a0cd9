import type { Store } from '@batuta/database';

/** What decides the nominal times of a schedule. */
export interface DueSchedule {
  schedule_id: string;
  process_id: string;
  cron_expression: string;
  /** The first nominal time without a firing; null = the schedule does not fire. */
  next_at: Date | null;
}

/** What a firing's start takes from its schedule. */
export interface StartSettings {
  schedule_id: string;
  process_id: string;
  executor: string;
  name: string;
  /** JSON of the values, as the client sent them. */
  matrix: string;
  environment_id: string | null;
}

/**
 * Locks the schedules that have been due longest and that no other replica has locked. The index is forced: any other plan
 * sorts, and so locks every due schedule whatever the limit.
 */
export function lockDueSchedules(tx: Store, now: Date, limit: number): Promise<DueSchedule[]> {
  return tx.rows<DueSchedule>(
    `SELECT schedule_id, process_id, cron_expression, next_at FROM schedule FORCE INDEX (schedule_due)
      WHERE next_at <= ? ORDER BY next_at, schedule_id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [now, limit],
  );
}

/** Sets the next nominal time; null = never. */
export async function setNextTime(tx: Store, id: string, nextAt: Date | null): Promise<void> {
  await tx.write('UPDATE schedule SET next_at = ? WHERE schedule_id = ?', [nextAt, id]);
}

export function startSettings(store: Store, ids: string[]): Promise<StartSettings[]> {
  return store.rows<StartSettings>(
    `SELECT schedule_id, process_id, executor, name, matrix, environment_id FROM schedule WHERE schedule_id IN (?)`,
    [ids],
  );
}
