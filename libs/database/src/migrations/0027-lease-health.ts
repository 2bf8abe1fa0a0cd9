import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TABLE_OPTIONS, TIME_TYPE } from './types';

/**
 * The only row of this table has the time at which a router last found that leases can be renewed and sessions resumed. Written by
 * `router` only; without the row, no router of this release has run yet.
 */
export class LeaseHealth0027 implements MigrationInterface {
  readonly name = 'LeaseHealth1700000000027';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE IF NOT EXISTS lease_health (
      health_id tinyint NOT NULL PRIMARY KEY,
      healthy_at ${TIME_TYPE} NOT NULL,
      healthy_until ${TIME_TYPE} NOT NULL
    ) ${TABLE_OPTIONS}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
