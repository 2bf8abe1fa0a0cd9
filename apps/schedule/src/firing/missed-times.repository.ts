import type { Store } from '@batuta/database';
import type { TimeRange } from './due-times';

/** A range with missed nominal times that are not yet recorded as firings. */
export interface MissedRange {
  id: number;
  scheduleID: string;
  /** The expression by which the range was missed; null when the schedule was removed. */
  cronExpression: string | null;
  range: TimeRange;
  /** The time of the database. */
  now: Date;
}

/** The range of nominal times that an outage missed of one schedule. */
export interface NewMissedRange {
  scheduleID: string;
  range: TimeRange;
}

export async function insertMissedRanges(tx: Store, missed: NewMissedRange[]): Promise<void> {
  if (missed.length === 0) return;
  await tx.write('INSERT INTO schedule_backlog (schedule_id, from_at, until_at) VALUES ?', [
    missed.map(({ scheduleID, range }) => [scheduleID, new Date(range.from), new Date(range.until)]),
  ]);
}

/** Locks the oldest range of missed nominal times that no other replica has locked; undefined when there is none. */
export async function lockOldestMissedRange(tx: Store): Promise<MissedRange | undefined> {
  // `backlog_id > 0` holds for every row. It makes MariaDB plan a range of the primary key; otherwise the plan is a read
  // of the whole index.
  const row = await tx.row<{
    backlog_id: number;
    schedule_id: string;
    from_at: Date;
    until_at: Date;
    cron_expression: string | null;
    now: Date;
  }>(
    `SELECT backlog_id, schedule_id, from_at, until_at, cron_expression, UTC_TIMESTAMP(3) AS now
       FROM schedule_backlog WHERE backlog_id > 0
      ORDER BY backlog_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  if (!row) return undefined;
  const schedule = await tx.row<{ cron_expression: string }>(
    'SELECT cron_expression FROM schedule WHERE schedule_id = ?',
    [row.schedule_id],
  );
  return {
    id: row.backlog_id,
    scheduleID: row.schedule_id,
    cronExpression: schedule ? (row.cron_expression ?? schedule.cron_expression) : null,
    range: { from: row.from_at.getTime(), until: row.until_at.getTime() },
    now: row.now,
  };
}

/**
 * Stores the current expression with the missed ranges of the schedule; called before the schedule gets another
 * expression.
 */
export async function keepExpressionOfMissed(tx: Store, scheduleID: string, expression: string): Promise<void> {
  await tx.write('UPDATE schedule_backlog SET cron_expression = ? WHERE schedule_id = ? AND cron_expression IS NULL', [
    expression,
    scheduleID,
  ]);
}

/** Shortens a range to the part that is not recorded yet; deletes it when nothing is left. */
export async function shortenMissedRange(tx: Store, id: number, rest: TimeRange | undefined): Promise<void> {
  if (rest === undefined) await tx.write('DELETE FROM schedule_backlog WHERE backlog_id = ?', [id]);
  else await tx.write('UPDATE schedule_backlog SET from_at = ? WHERE backlog_id = ?', [new Date(rest.from), id]);
}
