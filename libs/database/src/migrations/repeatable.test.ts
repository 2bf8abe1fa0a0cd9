import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/servers';
import { waitUntil } from '../../../../test/support/wait-until';
import { openDataSource, openStore } from '../data-source';
import type { Store } from '../store';
import { addColumn, addIndex } from './repeatable';

const READ = 'SELECT * FROM backed_up';
const WAITING_CHANGES = `SELECT 1 FROM information_schema.processlist
                          WHERE db = DATABASE() AND info LIKE '%ALTER TABLE backed_up%' AND state LIKE 'Waiting for table metadata%'`;

let database: TestDatabase;
let source: DataSource;
let services: Store;

beforeEach(async () => {
  database = await createTestDatabase();
  ({ source } = await openDataSource({ url: database.url, pool: 3, statementMs: 3_600_000 }));
  services = await openStore({ url: database.url, pool: 2, statementMs: 20_000 });
  await services.write('CREATE TABLE backed_up (id int)');
});
afterEach(async () => {
  await services.close();
  await source.destroy();
  await database.drop();
});

/** Runs `work` while another connection has read the table in a transaction, as a backup does. */
const duringLongRead = (work: () => Promise<void>) =>
  services.transaction(async (backup) => {
    await backup.write('SET SESSION idle_transaction_timeout = 0');
    await backup.rows(READ);
    await work();
  });

test('a change of a table that waits for a long read lets others read the table, and is made after the long read', async () => {
  const runner = source.createQueryRunner();
  let change: Promise<void> | undefined;
  await duringLongRead(async () => {
    change = addColumn(runner, 'backed_up', 'more', 'int NULL');
    await waitUntil('the change waits', async () => {
      const waiting: unknown[] = await source.query(WAITING_CHANGES);
      return waiting.length > 0;
    });
    expect(await services.rows(READ)).toEqual([]);
  });
  await change;
  await services.write('INSERT INTO backed_up (id, more) VALUES (1, 2)');
  expect(await services.rows(READ)).toEqual([{ id: 1, more: 2 }]);
  await runner.release();
});

describe('progress', () => {
  /** The functions of the timers of a minute. */
  let minutes: (() => void)[];
  let printed: jest.SpyInstance;
  let ended: jest.SpyInstance;

  beforeEach(() => {
    minutes = [];
    printed = jest.spyOn(console, 'log').mockImplementation(() => {});
    ended = jest.spyOn(globalThis, 'clearInterval');
    const set = globalThis.setInterval;
    jest.spyOn(globalThis, 'setInterval').mockImplementation((work, delay, ...rest) => {
      if (delay === 60_000) minutes.push(() => work(...rest));
      return set(work, delay, ...rest);
    });
  });
  afterEach(() => jest.restoreAllMocks());

  test('each minute a change that is not made yet is printed, until it is made', async () => {
    const runner = source.createQueryRunner();
    let change: Promise<void> | undefined;
    await duringLongRead(async () => {
      change = addColumn(runner, 'backed_up', 'more', 'int NULL');
      for (const passMinute of [...minutes, ...minutes]) passMinute();
      expect(ended).not.toHaveBeenCalled();
    });
    await change;
    expect(ended).toHaveBeenCalledTimes(1);
    expect(printed.mock.calls.flat()).toEqual([
      expect.stringMatching(/^Not made after 1 min: ALTER TABLE backed_up ADD COLUMN more int NULL\. .*dump/),
      expect.stringMatching(/^Not made after 2 min: /),
    ]);
    await runner.release();
  });
});

test.each([
  ['column', addColumn, 'int NULL'],
  ['index', addIndex, '(id)'],
])('one %s is added when a killed run and its successor add it at the same time', async (_, add, definition) => {
  const runners = [source.createQueryRunner(), source.createQueryRunner()];
  const queries = runners.map((runner) => jest.spyOn(runner, 'query'));
  let changes: Promise<void>[] = [];
  await duringLongRead(async () => {
    changes = runners.map((runner) => add(runner, 'backed_up', 'more', definition));
    await waitUntil('both have sent their change', () =>
      queries.every(({ mock }) => mock.calls.some(([sql]) => sql.includes('ALTER'))),
    );
  });
  await expect(Promise.all(changes)).resolves.toHaveLength(2);
  const created = await services.row<Record<string, string>>('SHOW CREATE TABLE backed_up');
  expect(created?.['Create Table']?.match(/`more`/g)).toHaveLength(1);
  for (const runner of runners) await runner.release();
});
