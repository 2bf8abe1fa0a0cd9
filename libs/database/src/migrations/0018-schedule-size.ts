import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/**
 * The bytes of a schedule's values, so that a statement can leave large values unread (with the index of migration 0028): `LENGTH(matrix)`
 * would read them. The server computes the column, because the previous release does not write it.
 */
export class ScheduleSize0018 implements MigrationInterface {
  readonly name = 'ScheduleSize1700000000018';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(
      runner,
      'schedule',
      'matrix_bytes',
      'int unsigned GENERATED ALWAYS AS (OCTET_LENGTH(matrix)) STORED',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
