import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID, TABLE, TIME } from './types';

/**
 * The queues that `cancelQueueOnException` empties: what an environment accepted before `cancel_before` and still has in its
 * queue is cancelled, in batches; the row is deleted with the last of them. Written by `execution` only.
 */
export class QueueCancellation0014 implements MigrationInterface {
  readonly name = 'QueueCancellation1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE IF NOT EXISTS queue_cancellation (
      environment_id ${ID} NOT NULL PRIMARY KEY,
      cancel_before ${TIME} NOT NULL
    ) ${TABLE}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
