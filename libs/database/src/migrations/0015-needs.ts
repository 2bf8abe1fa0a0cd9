import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addIndex } from './repeatable';

/** A list of abilities, as `needsOf` of the flow library writes it. */
const NEEDS = 'varchar(255) CHARACTER SET ascii COLLATE ascii_bin NULL';

/**
 * The abilities that an agent needs for a version and for its instances (interpretation 56). Null = not known: the previous
 * release wrote the row, and `execution` reads them from the flow. The index lets an agent claim what it can run without
 * reading what waits for other agents.
 */
export class Needs0015 implements MigrationInterface {
  readonly name = 'Needs1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'process_version', 'needs', NEEDS);
    await addColumn(runner, 'instance', 'needs', NEEDS);
    await addIndex(
      runner,
      'instance',
      'instance_queue_needs',
      '(environment_id, status, needs, accepted_at, instance_id)',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
