import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** Instances with their values, log lines and credits. Written by `execution` only. */
export class Execution0002 implements MigrationInterface {
  readonly name = 'Execution1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // `history_at` is set when an instance that the history shows ends, so that one index serves the filter and the order.
  `CREATE TABLE IF NOT EXISTS instance (
    instance_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    process_name varchar(120) NOT NULL,
    owner_account_id ${ID_TYPE} NOT NULL,
    company_id ${ID_TYPE} NOT NULL,
    starter_account_id ${ID_TYPE} NULL,
    environment_id ${ID_TYPE} NOT NULL,
    version_id ${ID_TYPE} NOT NULL,
    version int NOT NULL,
    trigger_kind varchar(10) CHARACTER SET ascii NOT NULL,
    user_name varchar(120) NOT NULL,
    executor varchar(120) NOT NULL,
    request_id varchar(64) NOT NULL,
    status varchar(10) CHARACTER SET ascii NOT NULL,
    accepted_as varchar(8) CHARACTER SET ascii NOT NULL,
    outcome varchar(20) CHARACTER SET ascii NULL,
    desired varchar(5) CHARACTER SET ascii NOT NULL DEFAULT 'run',
    fence int NOT NULL DEFAULT 0,
    session_id ${ID_TYPE} NULL,
    last_report int NOT NULL DEFAULT 0,
    last_line int NOT NULL DEFAULT 0,
    has_log tinyint(1) NOT NULL DEFAULT 0,
    accepted_at ${TIME_TYPE} NOT NULL,
    claimed_at ${TIME_TYPE} NULL,
    started_at ${TIME_TYPE} NULL,
    finished_at ${TIME_TYPE} NULL,
    history_at ${TIME_TYPE} NULL,
    error_step varchar(200) NULL,
    error_message text NULL,
    savings_value decimal(14,2) NOT NULL DEFAULT 0,
    fte_hours double NOT NULL DEFAULT 0,
    KEY instance_queue (environment_id, status, accepted_at, instance_id),
    KEY instance_session (session_id, status),
    KEY instance_claimed (status, claimed_at),
    KEY instance_history (process_id, history_at, instance_id),
    KEY instance_process (process_id, accepted_at, instance_id),
    KEY instance_finished (finished_at),
    KEY instance_log_kept (company_id, has_log, finished_at)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS instance_input (
    instance_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    sealed longblob NOT NULL
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS instance_log (
    instance_id ${ID_TYPE} NOT NULL,
    line int NOT NULL,
    logged_at ${TIME_TYPE} NOT NULL,
    severity varchar(8) CHARACTER SET ascii NOT NULL,
    message mediumtext NOT NULL,
    step varchar(200) NOT NULL,
    evidence mediumtext NULL,
    PRIMARY KEY (instance_id, line)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS idempotency_key (
    key_hash binary(32) NOT NULL PRIMARY KEY,
    instance_id ${ID_TYPE} NOT NULL,
    status varchar(8) CHARACTER SET ascii NOT NULL,
    body_hash binary(32) NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY idempotency_key_time (created_at)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS credit_account (
    company_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    balance int NOT NULL,
    period char(7) CHARACTER SET ascii NOT NULL,
    monthly int NOT NULL DEFAULT 0
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS credit_entry (
    entry_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    company_id ${ID_TYPE} NOT NULL,
    kind varchar(10) CHARACTER SET ascii NOT NULL,
    amount int NOT NULL,
    instance_id ${ID_TYPE} NULL,
    created_at ${TIME_TYPE} NOT NULL,
    UNIQUE KEY credit_entry_once (instance_id, kind),
    KEY credit_entry_company (company_id, entry_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS audit_event (
    event_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    instance_id ${ID_TYPE} NULL,
    account_id ${ID_TYPE} NULL,
    action varchar(40) CHARACTER SET ascii NOT NULL,
    executor varchar(120) NOT NULL,
    detail text NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY audit_event_process (process_id, event_id)
  ) ${TABLE_OPTIONS}`,
];
