import type { QueryRunner } from 'typeorm';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import type { TestDatabase } from '../../../../test/support/servers';
import { migrateUntilCutOff } from '../../test/cut-off-migration';
import { openDataSource, type OpenedDataSource } from '../data-source';
import { KeptValues0032 } from './0032-kept-values';

let database: TestDatabase;
let source: OpenedDataSource['source'];
beforeEach(async () => {
  database = await createMigratedDatabase();
  ({ source } = await openDataSource({ url: database.url, pool: 1, statementMs: 60_000 }));
  await fill();
});
afterEach(async () => {
  await source.destroy();
  await database.drop();
});

/** Number of groups of five instances. Three of each group have a row in `instance_input`, so that these rows are more than one bite. */
const GROUP_COUNT = 400;

/**
 * Of each group of five instances the first has an input, the second other values, and the third neither; the fourth has an input and has not
 * ended, and the fifth has an input and lines.
 */
async function fill(): Promise<void> {
  await source.query(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id, version,
       trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, finished_at, has_log)
     SELECT CONCAT('i', seq), 'p', 'P', 'owner', 'c', 'e', 'v', 1, 'api', 'u', 'e', 'r', IF(seq % 5 = 4, 'running', 'stopped'), 'queued',
            UTC_TIMESTAMP(3), IF(seq % 5 = 4, NULL, UTC_TIMESTAMP(3)), seq % 5 = 0 FROM seq_1_to_${GROUP_COUNT * 5}`,
  );
  for (const [table, place] of [
    ['instance_input', '<> 2'],
    ['instance_values', '= 2'],
  ] as const) {
    await source.query(
      `INSERT INTO ${table} (instance_id, sealed) SELECT CONCAT('i', seq), 'x' FROM seq_1_to_${GROUP_COUNT * 5}
        WHERE seq % 5 ${place} AND seq % 5 <> 3`,
    );
  }
}

async function migrate(runner: QueryRunner = source.createQueryRunner()): Promise<void> {
  try {
    await new KeptValues0032().up(runner);
  } finally {
    await runner.release();
  }
}

/** The number of marked instances among the first ones of all groups, the second ones, … and the fifth ones. */
async function countMarked(): Promise<number[]> {
  const rows: { marked: number | string }[] = await source.query(
    'SELECT SUM(has_log) AS marked FROM instance GROUP BY (SUBSTR(instance_id, 2) + 4) % 5 ORDER BY (SUBSTR(instance_id, 2) + 4) % 5',
  );
  return rows.map(({ marked }) => Number(marked));
}

const EVERY_ENDED_WITH_VALUES = [GROUP_COUNT, GROUP_COUNT, 0, 0, GROUP_COUNT];

test('the migration marks the ended instances that have values, so that retention deletes these', async () => {
  expect(await countMarked()).toEqual([0, 0, 0, 0, GROUP_COUNT]);
  await migrate();
  expect(await countMarked()).toEqual(EVERY_ENDED_WITH_VALUES);
});

test('a migration of the kept values that was cut off after any statement completes when it runs again', async () => {
  for (let allowed = 0, cut = true; cut; allowed += 1) {
    await source.query('UPDATE instance SET has_log = SUBSTR(instance_id, 2) % 5 = 0');
    cut = await migrateUntilCutOff(allowed, source.createQueryRunner(), migrate);
    await migrate();
    expect(await countMarked()).toEqual(EVERY_ENDED_WITH_VALUES);
  }
});
