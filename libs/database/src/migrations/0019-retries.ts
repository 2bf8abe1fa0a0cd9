import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './repeatable';
import { ID_TYPE, TABLE_OPTIONS } from './types';

/**
 * What the repetition of a run needs. `retry_of` = the instance whose run is repeated. `kept` = 1 for an input
 * without a Secreto, which is kept as long as the log lines. For an input with a Secreto, `instance_values` keeps the
 * values other than Secretos. The previous release deletes every input at the end of its instance; such a run has
 * no values to repeat.
 */
export class Retries0019 implements MigrationInterface {
  readonly name = 'Retries1700000000019';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'instance', 'retry_of', `${ID_TYPE} NULL`);
    await addColumn(runner, 'instance_input', 'kept', 'tinyint(1) NOT NULL DEFAULT 0');
    await runner.query(
      `CREATE TABLE IF NOT EXISTS instance_values (
        instance_id ${ID_TYPE} NOT NULL PRIMARY KEY,
        sealed longblob NOT NULL
      ) ${TABLE_OPTIONS}`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}
