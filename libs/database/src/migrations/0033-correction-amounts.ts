import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/** What each correction of credits with an id did, so that another correction with this id is refused. */
export class CorrectionAmounts0033 implements MigrationInterface {
  readonly name = 'CorrectionAmounts1700000000033';

  async up(runner: QueryRunner): Promise<void> {
    // Of a correction one of both is null; both are null in rows of an earlier release.
    await addColumn(runner, 'credit_adjustment', 'set_to', 'int NULL');
    await addColumn(runner, 'credit_adjustment', 'added', 'int NULL');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
