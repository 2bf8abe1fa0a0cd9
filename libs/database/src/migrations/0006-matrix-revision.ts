import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which Matrix a process has: each write of its variables raises the number in the same transaction, so that process and
 * revision name variables that never change. 0 = what was registered with the process, or before there were revisions.
 */
export class MatrixRevision0006 implements MigrationInterface {
  readonly name = 'MatrixRevision1700000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE process ADD COLUMN matrix_revision int unsigned NOT NULL DEFAULT 0');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
