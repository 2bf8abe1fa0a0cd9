import type { Store } from '@batuta/database';

/** The ids of a schedule, due or not, and the columns from which its nominal times follow (the time zone is the same for all). */
export interface ScheduleTiming {
  schedule_id: string;
  process_id: string;
  cron_expression: string;
  /** The first nominal time without a firing; null = it is switched off, or its expression is refused or gives no further time. */
  next_at: Date | null;
}

/** The columns of a schedule that the start of its firing needs. */
export interface StartSettings {
  schedule_id: string;
  process_id: string;
  /** The executor that the start is recorded with: that of the request that created the schedule. */
  executor: string;
  /** The name of the schedule, which becomes the user name of the instance. */
  name: string;
  /** JSON of the values, as the client sent them; null when they are large and `findStartValues` reads them. */
  matrix: string | null;
  /** The size of the JSON of the values, whether or not they were read. */
  matrix_bytes: number;
  /** Null = the environment that is registered on the process at the start. */
  environment_id: string | null;
}

/**
 * Locks the schedules that have been due longest, except those that another replica has locked. The index is forced,
 * because every other plan sorts, and so locks every due schedule whatever the limit.
 */
export function lockDueSchedules(tx: Store, now: Date, limit: number): Promise<ScheduleTiming[]> {
  return tx.rows<ScheduleTiming>(
    `SELECT schedule_id, process_id, cron_expression, next_at FROM schedule FORCE INDEX (schedule_due)
      WHERE next_at <= ? ORDER BY next_at, schedule_id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [now, limit],
  );
}

/**
 * Sets the next nominal times, by schedule id; undefined = never. Schedules with the same next time share a statement.
 */
export async function setNextTimes(tx: Store, nextTimes: ReadonlyMap<string, number | undefined>): Promise<void> {
  const byTime = Map.groupBy(nextTimes, ([, next]) => next);
  await Promise.all(
    Array.from(byTime, ([next, schedules]) => {
      const nextAt = next === undefined ? null : new Date(next);
      const ids = schedules.map(([id]) => id);
      return tx.write('UPDATE schedule SET next_at = ? WHERE schedule_id IN (?)', [nextAt, ids]);
    }),
  );
}

/** The schedules after the id `after`, due or not, in the order of their ids. */
export function pageOfNextTimes(store: Store, after: string, limit: number): Promise<ScheduleTiming[]> {
  return store.rows<ScheduleTiming>(
    `SELECT schedule_id, process_id, cron_expression, next_at FROM schedule
      WHERE schedule_id > ? ORDER BY schedule_id LIMIT ?`,
    [after, limit],
  );
}

/**
 * Replaces a next time. Returns false, without effect, when the schedule was changed or its next time was recorded meanwhile, or when it has a
 * firing of the new time: after a clock was set back, the times until the next one have fired already.
 */
export async function changeNextTime(store: Store, schedule: ScheduleTiming, next: Date): Promise<boolean> {
  const { schedule_id: id, cron_expression: expression, next_at: before } = schedule;
  const { affectedRows } = await store.write(
    `UPDATE schedule SET next_at = ? WHERE schedule_id = ? AND next_at = ? AND cron_expression = ?
        AND NOT EXISTS (SELECT 1 FROM schedule_firing WHERE schedule_firing.schedule_id = ? AND nominal_at = ?)`,
    [next, id, before, expression, id, next],
  );
  return affectedRows === 1;
}

/**
 * Values of a schedule of at most this size are read with it; larger ones are read one by one, when they fit into the
 * memory budget of firings.
 */
const MAX_SMALL_VALUES_BYTES = 4 * 1024;

/**
 * Reads the schedules with these ids that exist, with their values if these are small. The values come from the join of `small`, which finds no row
 * for larger ones. An IF over the values in the select list would not help, because MariaDB would read them before it compares their size.
 */
export function findStartSettings(store: Store, ids: string[]): Promise<StartSettings[]> {
  return store.rows<StartSettings>(
    `SELECT s.schedule_id, s.process_id, s.executor, s.name, s.environment_id, size.matrix_bytes, small.matrix
       FROM schedule s JOIN schedule size FORCE INDEX (schedule_size) ON size.schedule_id = s.schedule_id
       LEFT JOIN schedule small
         ON small.schedule_id = IF(size.matrix_bytes <= ${MAX_SMALL_VALUES_BYTES}, size.schedule_id, NULL)
      WHERE s.schedule_id IN (?)`,
    [ids],
  );
}

/** JSON of the values of one schedule; undefined when the schedule was removed. */
export async function findStartValues(store: Store, id: string): Promise<string | undefined> {
  const row = await store.row<{ matrix: string }>('SELECT matrix FROM schedule WHERE schedule_id = ?', [id]);
  return row?.matrix;
}
