import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS } from './types';

const BITE_EVENTS = 10_000;
/** Age of an event after which no event with a smaller number can be committed any more. */
const SETTLED_SECONDS = 120;
/** A number greater than every event number. */
const MAX_EVENT_ID = Number.MAX_SAFE_INTEGER;

/**
 * The audit events that an account with a share sees (interpretation 51), because no index of `audit_event` finds them: the end of an
 * instance does not name its starter, and an index would cost every start and every end, while most events need no row here.
 * `share_event_cursor` has the number up to which every event has its row, so that an interrupted migration continues there. After the
 * migration, a sweep of `execution` continues for the events that the previous release still writes.
 */
export class ShareEvents0030 implements MigrationInterface {
  readonly name = 'ShareEvents1700000000030';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    let after = await readCursor(runner);
    for (let last = await lastSettled(runner, after); last !== null; last = await lastSettled(runner, after)) {
      await addRows(runner, after, last);
      await runner.query('REPLACE INTO share_event_cursor (cursor_id, event_id) VALUES (1, ?)', [last]);
      after = last;
    }
    // Young events come last; the cursor stays in front of them, because an event between them may be committed later.
    await addRows(runner, after, MAX_EVENT_ID);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  `CREATE TABLE IF NOT EXISTS share_event (
    process_id ${ID_TYPE} NOT NULL,
    account_id ${ID_TYPE} NOT NULL,
    event_id bigint NOT NULL,
    PRIMARY KEY (process_id, account_id, event_id),
    KEY share_event_process (process_id, event_id)
  ) ${TABLE_OPTIONS}`,
  // One row once an event was checked. The next release drops this table together with the sweep of `execution`.
  `CREATE TABLE IF NOT EXISTS share_event_cursor (
    cursor_id tinyint NOT NULL PRIMARY KEY,
    event_id bigint NOT NULL
  ) ${TABLE_OPTIONS}`,
];

/** Each adds the rows of the events whose id is above its first parameter and at most its second. */
const ADD_STATEMENTS = [
  `INSERT IGNORE INTO share_event (process_id, account_id, event_id)
     SELECT e.process_id, i.starter_account_id, e.event_id
       FROM audit_event e STRAIGHT_JOIN instance i ON i.instance_id = e.instance_id
      WHERE e.event_id > ? AND e.event_id <= ? AND i.starter_account_id <> i.owner_account_id`,
  // Also those of instances that retention has deleted.
  `INSERT IGNORE INTO share_event (process_id, account_id, event_id)
     SELECT e.process_id, e.account_id, e.event_id
       FROM audit_event e STRAIGHT_JOIN process p ON p.process_id = e.process_id
      WHERE e.event_id > ? AND e.event_id <= ? AND e.account_id <> p.account_id`,
];

async function readCursor(runner: QueryRunner): Promise<number> {
  const [row]: { event_id: number | string }[] = await runner.query('SELECT event_id FROM share_event_cursor');
  return Number(row?.event_id ?? 0);
}

/** The last settled event of the next bite; null = none is left. */
async function lastSettled(runner: QueryRunner, after: number): Promise<number | null> {
  const [row]: { last: number | string | null }[] = await runner.query(
    `SELECT MAX(IF(created_at < UTC_TIMESTAMP(3) - INTERVAL ${SETTLED_SECONDS} SECOND, event_id, NULL)) AS last
       FROM (SELECT event_id, created_at FROM audit_event WHERE event_id > ? ORDER BY event_id LIMIT ${BITE_EVENTS}) bite`,
    [after],
  );
  const last = row?.last ?? null;
  return last === null ? null : Number(last);
}

async function addRows(runner: QueryRunner, after: number, last: number): Promise<void> {
  for (const statement of ADD_STATEMENTS) await runner.query(statement, [after, last]);
}
