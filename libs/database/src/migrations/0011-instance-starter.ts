import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './repeatable';

/**
 * The index of the instances that one account started of a process, newest last: an account with a share sees only the
 * instances that it started (interpretation 51), and no other index finds these among the millions of a process.
 */
export class InstanceStarter0011 implements MigrationInterface {
  readonly name = 'InstanceStarter1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    await addIndex(
      runner,
      'instance',
      'instance_starter',
      '(process_id, starter_account_id, accepted_at, instance_id)',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
