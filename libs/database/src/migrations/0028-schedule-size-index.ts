import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './repeatable';

/**
 * An index of the sizes of schedules: whenever MariaDB reads `matrix_bytes` from a row, it also reads the values, of up to a megabyte,
 * although the column is stored.
 */
export class ScheduleSizeIndex0028 implements MigrationInterface {
  readonly name = 'ScheduleSizeIndex1700000000028';

  async up(runner: QueryRunner): Promise<void> {
    await addIndex(runner, 'schedule', 'schedule_size', '(schedule_id, matrix_bytes)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
