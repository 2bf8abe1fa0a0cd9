import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/**
 * The id of the key of SECRET_KEYS that authenticates the body of an idempotency key, so that an operator sees until when an old
 * key is needed. Null = a previous release wrote the row.
 */
export class IdempotencyKeyID0024 implements MigrationInterface {
  readonly name = 'IdempotencyKeyID1700000000024';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'idempotency_key', 'key_id', 'varchar(32) CHARACTER SET ascii COLLATE ascii_bin NULL');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
