import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** Schedules and the firings of their nominal times. Written by `schedule` only. */
export class Schedules0004 implements MigrationInterface {
  readonly name = 'Schedules1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // `next_at` is the first nominal time without a firing; null while the schedule is switched off.
  `CREATE TABLE IF NOT EXISTS schedule (
    schedule_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    creator_account_id ${ID_TYPE} NOT NULL,
    user_name varchar(120) NOT NULL,
    executor varchar(120) NOT NULL,
    name varchar(120) NOT NULL,
    cron_expression varchar(255) CHARACTER SET ascii NOT NULL,
    matrix longtext NOT NULL,
    environment_id ${ID_TYPE} NULL,
    active tinyint(1) NOT NULL,
    next_at ${TIME_TYPE} NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY schedule_due (next_at, schedule_id),
    KEY schedule_process (process_id, schedule_id),
    KEY schedule_creator (creator_account_id, schedule_id)
  ) ${TABLE_OPTIONS}`,
  // One row per nominal time; the key prevents a second firing. `next_attempt_at`, by the database's clock, is the time of the next
  // attempt, during an attempt the end of its lease, and null once the result is final.
  `CREATE TABLE IF NOT EXISTS schedule_firing (
    schedule_id ${ID_TYPE} NOT NULL,
    nominal_at ${TIME_TYPE} NOT NULL,
    instance_id ${ID_TYPE} NULL,
    result varchar(8) CHARACTER SET ascii NOT NULL,
    reason_code varchar(40) CHARACTER SET ascii NULL,
    reason_message text NULL,
    attempts int NOT NULL DEFAULT 0,
    next_attempt_at ${TIME_TYPE} NULL,
    expires_at ${TIME_TYPE} NULL,
    settled_at ${TIME_TYPE} NULL,
    PRIMARY KEY (schedule_id, nominal_at),
    UNIQUE KEY schedule_firing_instance (instance_id),
    KEY schedule_firing_pending (next_attempt_at, schedule_id, nominal_at),
    KEY schedule_firing_age (nominal_at)
  ) ${TABLE_OPTIONS}`,
  // Ranges of nominal times that were missed and are not recorded as skipped yet: from inclusive, until exclusive.
  `CREATE TABLE IF NOT EXISTS schedule_backlog (
    backlog_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    schedule_id ${ID_TYPE} NOT NULL,
    from_at ${TIME_TYPE} NOT NULL,
    until_at ${TIME_TYPE} NOT NULL,
    KEY schedule_backlog_schedule (schedule_id)
  ) ${TABLE_OPTIONS}`,
];
