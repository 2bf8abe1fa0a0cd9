import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './repeatable';

/**
 * The index of the ledger by time, in place of `credit_entry_company`. The previous release names that one in its statements, so that only
 * the next release can drop it.
 */
export class LedgerTime0031 implements MigrationInterface {
  readonly name = 'LedgerTime1700000000031';

  async up(runner: QueryRunner): Promise<void> {
    await addIndex(runner, 'credit_entry', 'credit_entry_time', '(company_id, created_at, entry_id)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
