import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/** The bytes of evidence that the log of an instance keeps, so that their sum has a limit. */
export class KeptEvidence0012 implements MigrationInterface {
  readonly name = 'KeptEvidence1700000000012';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'instance', 'evidence_bytes', 'int unsigned NOT NULL DEFAULT 0');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
