import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/**
 * The revision of a process's Matrix: each write of its variables raises the number in the same transaction, so that the
 * variables of one process and revision never change. 0 = the variables of the process's creation, or from before revisions.
 */
export class MatrixRevision0006 implements MigrationInterface {
  readonly name = 'MatrixRevision1700000000006';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'process', 'matrix_revision', 'int unsigned NOT NULL DEFAULT 0');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
