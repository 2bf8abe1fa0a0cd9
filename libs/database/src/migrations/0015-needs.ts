import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addIndex } from './repeatable';

/** The type of the columns that hold a list of abilities, as `needsOf` of the flow library writes it. */
const NEEDS_COLUMN = 'varchar(255) CHARACTER SET ascii COLLATE ascii_bin NULL';

const BITE_ROWS = 1_000;

/**
 * The abilities that an agent needs for a version and for its instances (interpretation 56). Null = not known: the previous
 * release wrote the row, and `execution` reads the abilities from the flow. The index serves the claim of an agent, which thus does not
 * read instances that wait for other agents. It contains `claimed_at`, which is null in the queue, instead of the status, which changes
 * three times in the life of an instance. Instances that ended in the queue therefore get the time of their end as `claimed_at`.
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
