import type { Store } from '@batuta/database';

export interface Stretch {
  from: number;
  until: number;
}

export interface Backlog {
  backlog_id: number;
  schedule_id: string;
  cron_expression: string | null;
  from_at: Date;
  until_at: Date;
}

export async function addBacklog(tx: Store, scheduleID: string, { from, until }: Stretch): Promise<void> {
  await tx.write('INSERT INTO schedule_backlog (schedule_id, from_at, until_at) VALUES (?, ?, ?)', [
    scheduleID,
    new Date(from),
    new Date(until),
  ]);
}

/** The oldest that no other replica is writing down; `cron_expression` is null when its schedule is gone. */
export async function lockOldest(tx: Store): Promise<Backlog | undefined> {
  const backlog = await tx.row<Omit<Backlog, 'cron_expression'>>(
    `SELECT backlog_id, schedule_id, from_at, until_at FROM schedule_backlog
      ORDER BY backlog_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  if (!backlog) return undefined;
  const schedule = await tx.row<{ cron_expression: string }>(
    'SELECT cron_expression FROM schedule WHERE schedule_id = ?',
    [backlog.schedule_id],
  );
  return { ...backlog, cron_expression: schedule?.cron_expression ?? null };
}

export async function shorten(tx: Store, backlogID: number, rest: Stretch | undefined): Promise<void> {
  if (rest === undefined) await tx.write('DELETE FROM schedule_backlog WHERE backlog_id = ?', [backlogID]);
  else await tx.write('UPDATE schedule_backlog SET from_at = ? WHERE backlog_id = ?', [new Date(rest.from), backlogID]);
}
