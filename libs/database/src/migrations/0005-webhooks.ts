import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/**
 * Webhook origins with their URLs, captures and waiting calls, written by `webhook` only; and the answers of processes to
 * waiting callers, written by `execution` only.
 */
export class Webhooks0005 implements MigrationInterface {
  readonly name = 'Webhooks1700000000005';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    // 1 = a caller waits, or has waited, for the answer of the instance.
    await addColumn(runner, 'instance', 'awaited', 'tinyint(1) NOT NULL DEFAULT 0');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // Mappings are JSON lists of { pointer, variableId }; `mapping_draft` is null without unsaved changes. The published
  // mapping is part of `process_version`. `signature` is the sealed HMAC rule; null when no signature is required.
  `CREATE TABLE IF NOT EXISTS origin (
    origin_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    name varchar(120) NOT NULL,
    response_mode varchar(8) CHARACTER SET ascii NOT NULL,
    wait_seconds int NOT NULL,
    enabled tinyint(1) NOT NULL DEFAULT 1,
    signature longblob NULL,
    mapping_draft longtext NULL,
    mapping_saved longtext NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY origin_process (process_id, origin_id)
  ) ${TABLE_OPTIONS}`,
  // The newest row of each kind is the current URL; older rows were rotated. Only the current token is stored, sealed, so that
  // it can be shown again.
  `CREATE TABLE IF NOT EXISTS origin_token (
    token_hash binary(32) NOT NULL PRIMARY KEY,
    origin_id ${ID_TYPE} NOT NULL,
    kind varchar(4) CHARACTER SET ascii NOT NULL,
    sealed blob NULL,
    created_at ${TIME_TYPE} NOT NULL,
    revoked_at ${TIME_TYPE} NULL,
    KEY origin_token_origin (origin_id, kind)
  ) ${TABLE_OPTIONS}`,
  // `body` is the payload without the values that are mapped to a Secreto, or the beginning of a payload that is too large to map.
  `CREATE TABLE IF NOT EXISTS capture (
    capture_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    origin_id ${ID_TYPE} NOT NULL,
    captured_at ${TIME_TYPE} NOT NULL,
    bytes int NOT NULL,
    truncated tinyint(1) NOT NULL,
    body longtext NOT NULL,
    query mediumtext NOT NULL,
    headers mediumtext NOT NULL,
    KEY capture_origin (origin_id, capture_id)
  ) ${TABLE_OPTIONS}`,
  // The permits for waiting calls of a process that a gateway replica holds: a lease by the database's clock.
  `CREATE TABLE IF NOT EXISTS waiting_call (
    process_id ${ID_TYPE} NOT NULL,
    holder ${ID_TYPE} NOT NULL,
    places int NOT NULL,
    turn bigint NOT NULL,
    lease_until ${TIME_TYPE} NOT NULL,
    PRIMARY KEY (process_id, holder),
    KEY waiting_call_lease (lease_until)
  ) ${TABLE_OPTIONS}`,
  // The first answer of the process: valid, or the reason why it is not.
  `CREATE TABLE IF NOT EXISTS instance_answer (
    instance_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    valid tinyint(1) NOT NULL,
    code smallint NULL,
    body mediumtext NULL,
    recorded_at ${TIME_TYPE} NOT NULL
  ) ${TABLE_OPTIONS}`,
];
