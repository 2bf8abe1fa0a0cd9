import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/** The fingerprint of the public key that an agent announced for its session; null = none, or a router of the previous release. */
export class AgentKey0017 implements MigrationInterface {
  readonly name = 'AgentKey1700000000017';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(
      runner,
      'agent_session',
      'key_fingerprint',
      'varchar(64) CHARACTER SET ascii COLLATE ascii_bin NULL',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
