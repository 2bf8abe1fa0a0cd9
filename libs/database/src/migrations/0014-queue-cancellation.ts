import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/**
 * The queues that `cancelQueueOnException` empties: instances that were accepted for the environment before
 * `cancel_before` and are still queued are cancelled in batches; the row is deleted with the last batch. Written by
 * `execution` only.
 */
export class QueueCancellation0014 implements MigrationInterface {
  readonly name = 'QueueCancellation1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE IF NOT EXISTS queue_cancellation (
      environment_id ${ID_TYPE} NOT NULL PRIMARY KEY,
      cancel_before ${TIME_TYPE} NOT NULL
    ) ${TABLE_OPTIONS}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
