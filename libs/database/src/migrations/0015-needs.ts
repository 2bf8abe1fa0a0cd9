import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addIndex } from './repeatable';

/** The type of the columns that hold a list of abilities, as `needsOf` of the flow library writes it. */
const NEEDS_COLUMN = 'varchar(255) CHARACTER SET ascii COLLATE ascii_bin NULL';

const BITE_ROWS = 1_000;

/**
 * The abilities that an agent needs for a version and for its instances (interpretation 56). Null = not known: the previous
 * release wrote the row, and `execution` reads them from the flow. The index lets an agent claim what it can run without
 * reading what waits for other agents. It has `claimed_at`, which is null in the queue, and not the status, which changes
 * three times in the life of an instance; so instances that ended in the queue get the time of their end.
 */
export class Needs0015 implements MigrationInterface {
  readonly name = 'Needs1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'process_version', 'needs', NEEDS_COLUMN);
    await addColumn(runner, 'instance', 'needs', NEEDS_COLUMN);
    await this.leaveQueue(runner);
    await addIndex(
      runner,
      'instance',
      'instance_queue_needs',
      '(environment_id, claimed_at, needs, accepted_at, instance_id)',
    );
  }

  private async leaveQueue(runner: QueryRunner): Promise<void> {
    for (let left = 1; left > 0;) {
      ({ affectedRows: left } = await runner.query(
        `UPDATE instance SET claimed_at = finished_at
          WHERE status = 'stopped' AND claimed_at IS NULL AND finished_at IS NOT NULL LIMIT ${BITE_ROWS}`,
      ));
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
