import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';

/**
 * The expression of a range of missed times whose schedule got another expression since; null = the schedule still has it. The
 * previous release, which does not read it, takes the new expression.
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
