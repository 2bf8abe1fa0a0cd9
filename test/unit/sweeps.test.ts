import { openStore, type Store } from '@batuta/database';
import { glob, readFile } from 'node:fs/promises';
import { createOrphanedScheduleSweep } from '../../apps/schedule/src/schedules/schedule-removal';
import { createMigratedDatabase } from '../support/migrated-database';
import { findUnindexedReads, recordStatements } from '../support/query-plans';
import type { TestDatabase } from '../support/servers';
import { fillTables, ROW_COUNT } from '../support/sweeps/rows';
import { MAX_BITE_ROWS, SWEEPS } from '../support/sweeps/sweeps';

// Every sweep that deletes or recovers rows must find them by an index, and lock few at a time.

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  // The time limit is long because the statements that fill the tables write thousands of rows.
  store = await openStore({ url: database.url, pool: 2, statementMs: 60_000 });
  await fillTables(store);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

test.each(SWEEPS)('%s: %s are found by an index and changed in bites', async (_task, _what, sweep) => {
  const statements = await recordStatements(() => sweep(store));
  expect(await findUnindexedReads(store, statements)).toEqual([]);
  expect(statements.filter(({ affectedRows }) => affectedRows > MAX_BITE_ROWS)).toEqual([]);
});

test('a sweep for the schedules of deleted processes reads a page, and the following ones find all of them', async () => {
  const sweep = createOrphanedScheduleSweep(store);
  await store.write(
    `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active, created_at)
     SELECT CONCAT(IF(seq = 1, '0', 'g'), seq), UUID(), '', 'u', 'e', 'n', '* * * * *', '{}', 0, NOW(3) FROM seq_1_to_2`,
  );
  const left = () =>
    store.row('SELECT 1 FROM schedule s LEFT JOIN process p USING (process_id) WHERE p.process_id IS NULL');
  const [first] = await recordStatements(() => sweep.sweep());
  expect(first?.sql).toContain('LIMIT 500');
  expect(await left()).toBeDefined();
  for (let page = 0; page * 500 < ROW_COUNT; page += 1) await sweep.sweep();
  expect(await left()).toBeUndefined();
});

/**
 * Periodic tasks that write nothing to the database themselves, though a service that they ask may. They read by ids that the replica holds in
 * memory, or seldom and without a lock.
 */
const READING_TASKS = [
  'check environments',
  'check lease clocks',
  'credentials of event streams',
  'database clock',
  'event gauges',
  'execution gauges',
  'expiry of waiting callers',
  'failing reports',
  'firing gauges',
  'permits of waiting calls',
  'poll for waiting callers',
  'poll queues',
  'reconcile desired states',
];

test('every periodic task is in the list of sweeps or only reads', async () => {
  const files = await Promise.all(
    ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'].map((pattern) => filesMatching(pattern)),
  );
  const tasks = files
    .flat()
    .flatMap((text) => Array.from(text.matchAll(/\b(?:tasks\.every|rounds\.add)\(\s*'([^']+)'/g), ([, name]) => name));
  const listed = new Set([...SWEEPS.map(([task]) => task), ...READING_TASKS].filter(Boolean));
  expect(new Set(tasks)).toEqual(listed);
});

async function filesMatching(pattern: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const path of glob(pattern)) if (!path.endsWith('.test.ts')) texts.push(await readFile(path, 'utf8'));
  return texts;
}
