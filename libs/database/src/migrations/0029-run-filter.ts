import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addIndex } from './repeatable';

/**
 * The index of the failed runs of a process and of its runs by trigger, newest last. The server computes `failed`, because the previous
 * release does not write it; a column that is not stored is added without copying the table.
 */
export class RunFilter0029 implements MigrationInterface {
  readonly name = 'RunFilter1700000000029';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(
      runner,
      'instance',
      'failed',
      "tinyint(1) GENERATED ALWAYS AS (status IN ('error', 'terminated')) VIRTUAL",
    );
    await addIndex(
      runner,
      'instance',
      'instance_filter',
      '(process_id, trigger_kind, failed, accepted_at, instance_id)',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
