import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/**
 * The cron expression whose times were missed in the range, if the schedule has another one by now; null = the schedule's present one.
 * The previous release does not read this column and applies the new expression to the range.
 */
export class MissedExpression0023 implements MigrationInterface {
  readonly name = 'MissedExpression1700000000023';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'schedule_backlog', 'cron_expression', 'varchar(255) CHARACTER SET ascii NULL');
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
