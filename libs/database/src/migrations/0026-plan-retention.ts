import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addIndex } from './repeatable';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** How long a plan keeps audit events and ledger entries, and the company of every process whose audit events may be kept. */
export class PlanRetention0026 implements MigrationInterface {
  readonly name = 'PlanRetention1700000000026';

  async up(runner: QueryRunner): Promise<void> {
    // null = for ever.
    await addColumn(runner, 'plan', 'audit_days', 'int NULL');
    await addColumn(runner, 'plan', 'ledger_days', 'int NULL');
    await addIndex(runner, 'process', 'process_company', '(company_id, process_id)');
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // An audit event of an instance has a process and no company, and stays when the process is deleted.
  `CREATE TABLE IF NOT EXISTS deleted_process (
    process_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    company_id ${ID_TYPE} NOT NULL,
    deleted_at ${TIME_TYPE} NOT NULL,
    KEY deleted_process_company (company_id, process_id)
  ) ${TABLE_OPTIONS}`,
  `INSERT IGNORE INTO deleted_process (process_id, company_id, deleted_at)
     SELECT object_id, company_id, created_at FROM management_event WHERE action = 'process.delete' AND company_id IS NOT NULL`,
];
