import type { QueryRunner } from 'typeorm';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import type { TestDatabase } from '../../../../test/support/servers';
import { migrateUntilCutOff } from '../../test/cut-off-migration';
import { openDataSource, type OpenedDataSource } from '../data-source';
import { ShareEvents0030 } from './0030-share-events';

let database: TestDatabase;
let source: OpenedDataSource['source'];
beforeEach(async () => {
  database = await createMigratedDatabase();
  ({ source } = await openDataSource({ url: database.url, pool: 1, statementMs: 60_000 }));
  await source.query('DROP TABLE share_event, share_event_cursor');
  await fill();
});
afterEach(async () => {
  await source.destroy();
  await database.drop();
});

const EVENT_COUNT = 25_000;
const OLD = "'2026-01-01' + INTERVAL seq SECOND";

/** Adds an event of each instance; `bia` started every hundredth one, and the owner the others. */
async function fill(): Promise<void> {
  await source.query(
    `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
       VALUES ('p', 'owner', 'c', 'P', UTC_TIMESTAMP(3))`,
  );
  await source.query(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id,
       version_id, version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
     SELECT CONCAT('i', seq), 'p', 'P', 'owner', 'c', IF(seq % 100 = 0, 'bia', 'owner'), 'e', 'v', 1, 'api', 'u', 'e', 'r', 'success',
            'queued', ${OLD} FROM seq_1_to_${EVENT_COUNT}`,
  );
  await source.query(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
     SELECT 'p', CONCAT('i', seq), NULL, 'end', 'e', '{}', IF(seq > ${EVENT_COUNT} - 200, UTC_TIMESTAMP(3), ${OLD})
       FROM seq_1_to_${EVENT_COUNT}`,
  );
  await source.query(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at) VALUES
       ('p', NULL, 'bia', 'vault-keys', 'e', '{}', UTC_TIMESTAMP(3)),
       ('p', NULL, 'owner', 'vault-keys', 'e', '{}', UTC_TIMESTAMP(3)),
       ('p', 'deleted', 'bia', 'start', 'e', '{}', UTC_TIMESTAMP(3))`,
  );
}

async function migrate(runner: QueryRunner = source.createQueryRunner()): Promise<void> {
  try {
    await new ShareEvents0030().up(runner);
  } finally {
    await runner.release();
  }
}

/** The events that the previous release showed to `bia`, and those that this release shows. */
async function readShownEvents(): Promise<{ before: number[]; now: number[] }> {
  const ids = async (sql: string) =>
    (await source.query(sql)).map(({ event_id }: { event_id: number | string }) => Number(event_id));
  return {
    before: await ids(
      `SELECT e.event_id FROM audit_event e LEFT JOIN instance i ON i.instance_id = e.instance_id
        WHERE e.account_id = 'bia' OR i.starter_account_id = 'bia' ORDER BY e.event_id`,
    ),
    now: await ids("SELECT event_id FROM share_event WHERE process_id = 'p' AND account_id = 'bia' ORDER BY event_id"),
  };
}

test('the migration gives each share the events that the previous release showed it, and none to the owner', async () => {
  await migrate();
  const { before, now } = await readShownEvents();
  expect(now).toHaveLength(EVENT_COUNT / 100 + 2);
  expect(now).toEqual(before);
  expect(await source.query("SELECT 1 FROM share_event WHERE account_id <> 'bia'")).toEqual([]);
});

test('the cursor of the share events stays in front of young events, which a sweep of execution checks again', async () => {
  await migrate();
  const [row] = await source.query(
    `SELECT (SELECT event_id FROM share_event_cursor) AS checked, MAX(event_id) AS settled FROM audit_event
      WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL 1 HOUR`,
  );
  expect(Number(row.settled)).toBe(EVENT_COUNT - 200);
  expect(row.checked).toEqual(row.settled);
});

test('a migration of the share events that was cut off after any statement completes when it runs again', async () => {
  for (let allowed = 0, cut = true; cut; allowed += 1) {
    await source.query('DROP TABLE IF EXISTS share_event, share_event_cursor');
    cut = await migrateUntilCutOff(allowed, source.createQueryRunner(), migrate);
    await migrate();
    const { before, now } = await readShownEvents();
    expect(now).toEqual(before);
  }
});
