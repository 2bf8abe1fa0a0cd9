import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** Audit events of management and schedule actions, and the reasons of corrected credits. */
export class ManagementAudit0021 implements MigrationInterface {
  readonly name = 'ManagementAudit1700000000021';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    await addColumn(runner, 'credit_entry', 'reason', 'varchar(200) NULL');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // `event_id` is a UUIDv7, which orders the events by time. `company_id` is the company of the object; null = the object is a plan or an operator.
  // `account_id` is the account that acted; null = the previous release, which did not record it.
  `CREATE TABLE IF NOT EXISTS management_event (
    event_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    company_id ${ID_TYPE} NULL,
    process_id ${ID_TYPE} NULL,
    account_id ${ID_TYPE} NULL,
    credential_id ${ID_TYPE} NULL,
    address varchar(45) CHARACTER SET ascii NULL,
    request_id varchar(64) CHARACTER SET ascii NULL,
    action varchar(40) CHARACTER SET ascii NOT NULL,
    object_id varchar(254) COLLATE utf8mb4_bin NOT NULL,
    detail text NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY management_event_company (company_id, event_id)
  ) ${TABLE_OPTIONS}`,
  // The corrections of credits by id, so that a repeated request makes no second correction.
  `CREATE TABLE IF NOT EXISTS credit_adjustment (
    adjustment_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    company_id ${ID_TYPE} NOT NULL,
    created_at ${TIME_TYPE} NOT NULL
  ) ${TABLE_OPTIONS}`,
];
