import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/** The W3C trace context of the acceptance of a start; null = the start is not traced, or the previous release accepted it. */
export class Traceparent0020 implements MigrationInterface {
  readonly name = 'Traceparent1700000000020';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'instance', 'traceparent', 'varchar(55) CHARACTER SET ascii COLLATE ascii_bin NULL');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
