import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/**
 * The pictures that steps leave as evidence; log lines link to them. Written by `execution` only. `location`
 * is where the bytes of a complete picture are: empty = in `evidence_part`, else in this bucket. `evidence_usage` has the sum of
 * `bytes` of each company, changed in the transaction that adds or deletes a row of `evidence`.
 */
export class Pictures0016 implements MigrationInterface {
  readonly name = 'Pictures1700000000016';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  `CREATE TABLE IF NOT EXISTS evidence (
    evidence_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    instance_id ${ID_TYPE} NOT NULL,
    fence int NOT NULL,
    process_id ${ID_TYPE} NOT NULL,
    company_id ${ID_TYPE} NOT NULL,
    media_type varchar(10) CHARACTER SET ascii NOT NULL,
    bytes int unsigned NOT NULL,
    parts int NOT NULL DEFAULT 0,
    complete tinyint(1) NOT NULL DEFAULT 0,
    location varchar(255) CHARACTER SET ascii NOT NULL DEFAULT '',
    created_at ${TIME_TYPE} NOT NULL,
    KEY evidence_instance (instance_id),
    KEY evidence_process (process_id),
    KEY evidence_kept (company_id, created_at),
    KEY evidence_upload (complete, created_at),
    KEY evidence_location (location, evidence_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS evidence_part (
    evidence_id ${ID_TYPE} NOT NULL,
    part int NOT NULL,
    content mediumblob NOT NULL,
    PRIMARY KEY (evidence_id, part)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS evidence_usage (
    company_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    bytes bigint NOT NULL
  ) ${TABLE_OPTIONS}`,
];
