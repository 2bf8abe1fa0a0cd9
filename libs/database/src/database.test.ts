import { createTestDatabase } from '../../../test/support/servers';
import { isDuplicate, migrate, openStore, type Store } from '.';

let database: { url: string; drop(): Promise<void> };
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.url);
  store = await openStore({ url: database.url, pool: 4 });
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

const countKeys = async () => (await store.row<{ n: number }>('SELECT COUNT(*) AS n FROM credit_account'))?.n;
const insert = 'INSERT INTO credit_account (company_id, balance, period) VALUES (?, ?, ?)';

test('migrating again changes nothing, also when two do it at once', async () => {
  expect(await Promise.all([migrate(database.url), migrate(database.url)])).toEqual([[], []]);
});

test('two first migrations side by side apply each step once', async () => {
  const fresh = await createTestDatabase();
  const done = await Promise.all([migrate(fresh.url), migrate(fresh.url)]);
  expect(done.map((names) => names.length).sort()).toEqual([0, 3]);
  await fresh.drop();
});

test('every connection reads committed rows and counts in UTC', async () => {
  const settings = await Promise.all(
    Array.from({ length: 4 }, () => store.row('SELECT @@tx_isolation AS level, @@time_zone AS zone, SLEEP(0.05) AS s')),
  );
  expect(settings).toEqual(Array(4).fill({ level: 'READ-COMMITTED', zone: '+00:00', s: 0 }));
});

test('a transaction that fails leaves nothing', async () => {
  const failing = store.transaction(async (tx) => {
    await tx.write(insert, ['a', 1, '2026-01']);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await countKeys()).toBe(0);
});

test('a duplicate key is told apart from other faults', async () => {
  await store.write(insert, ['b', 1, '2026-01']);
  const error: unknown = await store.write(insert, ['b', 1, '2026-01']).catch((fault: unknown) => fault);
  expect(isDuplicate(error)).toBe(true);
  expect(isDuplicate(new Error('other'))).toBe(false);
});

test('two transactions that deadlock both come to an end', async () => {
  await store.write(insert, ['x', 0, '2026-01']);
  await store.write(insert, ['y', 0, '2026-01']);
  const add = 'UPDATE credit_account SET balance = balance + 1 WHERE company_id = ?';
  let goOn = () => {};
  const both = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let arrived = 0;
  const cross = (first: string, second: string) =>
    store.transaction(async (tx) => {
      await tx.write(add, [first]);
      arrived += 1;
      if (arrived === 2) goOn();
      await both;
      await tx.write(add, [second]);
    });
  await Promise.all([cross('x', 'y'), cross('y', 'x')]);
  const rows = await store.rows("SELECT balance FROM credit_account WHERE company_id IN ('x', 'y')");
  expect(rows).toEqual([{ balance: 2 }, { balance: 2 }]);
});

test('a database that is away is UNAVAILABLE', async () => {
  await expect(openStore({ url: 'mysql://u:p@127.0.0.1:1/none', pool: 1 })).rejects.toThrow(/ECONNREFUSED|away/);
  const closed = await openStore({ url: database.url, pool: 1 });
  await closed.close();
  await expect(closed.rows('SELECT 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
