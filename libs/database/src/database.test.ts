import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { createPool } from 'mysql2';
import { EntitySchema } from 'typeorm';
import { createTestDatabase } from '../../../test/support/servers';
import { BoundedPool, type SessionStatement } from './bounded-pool';
import { isPool } from './driver';
import { MIGRATIONS } from './migrations';
import { isContention, isDuplicate, migrate, openStore, Store } from '.';

let database: { url: string; drop(): Promise<void> };
let store: Store;
let pipelined: Store;
let entityStore: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.url);
  store = await openStore({ url: database.url, pool: 4 });
  pipelined = await openStore({ url: database.url, pool: 4, pipelined: true });
  entityStore = await openStore({ url: database.url, pool: 4 }, [AccountEntity]);
});

afterAll(async () => {
  await entityStore?.close();
  await pipelined?.close();
  await store?.close();
  await database?.drop();
});

const STORE_KINDS: [string, () => Store][] = [
  ['TypeORM', () => entityStore],
  ['plain', () => store],
  ['pipelined', () => pipelined],
];

const countCreditAccounts = async () => (await store.row<{ n: number }>('SELECT COUNT(*) AS n FROM credit_account'))?.n;
const AccountEntity = new EntitySchema<{ id: string; balance: number; period: string }>({
  name: 'credit_account',
  columns: {
    id: { name: 'company_id', type: String, primary: true },
    balance: { type: Number },
    period: { type: String },
  },
});
const INSERT_SQL = 'INSERT INTO credit_account (company_id, balance, period) VALUES (?, ?, ?)';

test('migrating again changes nothing, also concurrently', async () => {
  expect(await Promise.all([migrate(database.url), migrate(database.url)])).toEqual([[], []]);
});

test('two concurrent first migrations apply each step once', async () => {
  const fresh = await createTestDatabase();
  const done = await Promise.all([migrate(fresh.url), migrate(fresh.url)]);
  expect(done.map((names) => names.length).toSorted((a, b) => a - b)).toEqual([0, MIGRATIONS.length]);
  await fresh.drop();
});

test.each(STORE_KINDS)('every %s connection reads committed rows and counts in UTC', async (_, storeOf) => {
  const settings = await Promise.all(
    Array.from({ length: 4 }, () =>
      storeOf().row('SELECT @@tx_isolation AS level, @@time_zone AS zone, SLEEP(0.05) AS s'),
    ),
  );
  expect(settings).toEqual(Array.from({ length: 4 }, () => ({ level: 'READ-COMMITTED', zone: '+00:00', s: 0 })));
});

test.each(STORE_KINDS)(
  'every %s connection waits in a cluster for what other nodes have committed',
  async (_, storeOf) => {
    expect(await storeOf().row('SELECT @@wsrep_sync_wait & 1 AS waits')).toEqual({ waits: 1 });
  },
);

test('a connection whose server lacks an optional variable is used, and one whose preparation fails is not', async () => {
  const answerAfter = async (statement: SessionStatement) => {
    const driver: unknown = createPool({ uri: database.url });
    if (!isPool(driver)) throw new Error('The database driver has no pool');
    const pool = new BoundedPool(driver, { connections: 1, statementMs: 60_000 }, [statement]);
    const optional = Store.fromConnections({ pool, pipelined: false });
    try {
      return await optional.rows('SELECT 1 AS one');
    } finally {
      await optional.close();
    }
  };
  const sql = 'SET SESSION no_such_variable = 1';
  expect(await answerAfter({ sql, mayLackVariable: true })).toEqual([{ one: 1 }]);
  await expect(answerAfter({ sql })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(answerAfter({ sql: 'SET nothing', mayLackVariable: true })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
});

test.each(STORE_KINDS)(
  '%s connections wait for a lock for less than the limit of a statement and end idle transactions after ten seconds',
  async (_, storeOf) => {
    const settings = await storeOf().row(
      'SELECT @@innodb_lock_wait_timeout AS waits, @@idle_transaction_timeout AS silent',
    );
    expect(settings).toEqual({ waits: 3, silent: 10 });
  },
);

test('a Store with entities has repositories inside and outside of transactions', async () => {
  await entityStore.transaction(async (tx) => {
    await tx.repository(AccountEntity).insert({ id: 'entity', balance: 1, period: '2026-01' });
    expect(await entityStore.repository(AccountEntity).existsBy({ id: 'entity' })).toBe(false);
  });
  expect(await entityStore.repository(AccountEntity).existsBy({ id: 'entity' })).toBe(true);
  await entityStore.repository(AccountEntity).delete({ id: 'entity' });
  expect(() => store.repository(AccountEntity)).toThrow('without entities');
});

test.each(STORE_KINDS)('a %s transaction that fails writes nothing', async (_, storeOf) => {
  const failing = storeOf().transaction(async (tx) => {
    tx.atCommit(INSERT_SQL, ['a2', 1, '2026-01']);
    await tx.write(INSERT_SQL, ['a', 1, '2026-01']);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await countCreditAccounts()).toBe(0);
});

test.each(STORE_KINDS)(
  'a %s transaction runs concurrent statements in order and the statements of atCommit last',
  async (kind, storeOf) => {
    const balance = async (from: Store) =>
      (await from.row<{ balance: number }>('SELECT balance FROM credit_account WHERE company_id = ?', [kind]))?.balance;
    const seen = await storeOf().transaction(async (tx) => {
      tx.atCommit('UPDATE credit_account SET balance = balance * 10 WHERE company_id = ?', [kind]);
      tx.atCommit("UPDATE credit_account SET balance = balance + 7, period = ';--?' WHERE company_id = ?", [kind]);
      const [written, first] = await Promise.all([tx.write(INSERT_SQL, [kind, 4, "';"]), balance(tx)]);
      return [written.affectedRows, first, await balance(tx), await balance(store)];
    });
    expect(seen).toEqual([1, 4, 4, undefined]);
    expect(await balance(store)).toBe(47);
  },
);

test('an error in a pipelined transaction rejects every statement of the message and rolls back', async () => {
  await store.write(INSERT_SQL, ['twin', 1, '2026-01']);
  const settled: PromiseSettledResult<unknown>[] = [];
  const failing = pipelined.transaction(async (tx) => {
    const statements = [tx.write(INSERT_SQL, ['other', 1, '2026-01']), tx.write(INSERT_SQL, ['twin', 1, '2026-01'])];
    settled.push(...(await Promise.allSettled(statements)));
    await Promise.all(statements);
  });
  expect(isDuplicate(await failing.catch((fault: unknown) => fault))).toBe(true);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await store.row("SELECT 1 AS there FROM credit_account WHERE company_id = 'other'")).toBeUndefined();
});

test('a duplicate key in a statement of atCommit rolls back', async () => {
  await store.write(INSERT_SQL, ['taken', 1, '2026-01']);
  const failing = pipelined.transaction(async (tx) => {
    await tx.write(INSERT_SQL, ['before', 1, '2026-01']);
    tx.atCommit(INSERT_SQL, ['taken', 1, '2026-01']);
  });
  expect(isDuplicate(await failing.catch((fault: unknown) => fault))).toBe(true);
  expect(await store.row("SELECT 1 AS there FROM credit_account WHERE company_id = 'before'")).toBeUndefined();
});

test('statements of atCommit that exceed one message are all written', async () => {
  const [limit] = await store.rows<{ most: number }>('SELECT @@max_allowed_packet AS most');
  const text = 'x'.repeat((limit?.most ?? 0) / 8);
  await pipelined.transaction(async (tx) => {
    for (let index = 0; index < 10; index += 1) {
      tx.atCommit(`INSERT INTO credit_account (company_id, balance, period) VALUES (?, LENGTH(?), '2026-01')`, [
        `weight ${index}`,
        text,
      ]);
    }
  });
  const rows = await store.rows("SELECT balance FROM credit_account WHERE company_id LIKE 'weight %'");
  expect(rows).toEqual(Array.from({ length: 10 }, () => ({ balance: text.length })));
});

test.each([
  ['short', ''],
  ['long', 'x'.repeat(50_000)],
])('%s statements of atCommit write values unchanged, and nothing after an error', async (length, padding) => {
  const write =
    'INSERT INTO vault_secret (account_id, vault_key, sealed, updated_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))';
  const texts = ["'; END */ /*M! ; END; --", '/*M! ; END */', 'BEGIN NOT ATOMIC \\'].map((text) => text + padding);
  const end = (keys: string[]) =>
    pipelined.transaction(async (tx) => {
      for (const [index, key] of keys.entries()) tx.atCommit(write, [length, key, texts[index]]);
    });
  const stored = async () =>
    (
      await store.rows<{ text: string }>(
        'SELECT CONVERT(sealed USING utf8mb4) AS text FROM vault_secret WHERE account_id = ? ORDER BY vault_key',
        [length],
      )
    ).map(({ text }) => text);
  expect(isDuplicate(await end(['a', 'b', 'b']).catch((fault: unknown) => fault))).toBe(true);
  expect(await stored()).toEqual([]);
  await end(['a', 'b', 'c']);
  expect(await stored()).toEqual(texts);
});

test('a Store that is not pipelined refuses several statements in one text', async () => {
  await expect(store.rows('SELECT 1; SELECT 2')).rejects.toThrow(/syntax/i);
});

test('isDuplicate is true only for a violated key', async () => {
  await store.write(INSERT_SQL, ['b', 1, '2026-01']);
  const error: unknown = await store.write(INSERT_SQL, ['b', 1, '2026-01']).catch((fault: unknown) => fault);
  expect(isDuplicate(error)).toBe(true);
  expect(isDuplicate(new Error('other'))).toBe(false);
});

test.each(STORE_KINDS)('two %s transactions that deadlock both commit', async (kind, storeOf) => {
  const [x, y] = [`${kind} x`, `${kind} y`];
  await store.write(INSERT_SQL, [x, 0, '2026-01']);
  await store.write(INSERT_SQL, [y, 0, '2026-01']);
  const add = 'UPDATE credit_account SET balance = balance + 1 WHERE company_id = ?';
  let release = () => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  const cross = (first: string, second: string) =>
    storeOf().transaction(async (tx) => {
      await tx.write(add, [first]);
      arrived += 1;
      if (arrived === 2) release();
      await both;
      await tx.write(add, [second]);
    });
  await Promise.all([cross(x, y), cross(y, x)]);
  const rows = await store.rows('SELECT balance FROM credit_account WHERE company_id IN (?)', [[x, y]]);
  expect(rows).toEqual([{ balance: 2 }, { balance: 2 }]);
});

/** Makes the next `times` statements outside of a transaction fail as if another transaction, here or at another node, had aborted them. */
function loseStatements(times: number): jest.SpyInstance {
  const spy = jest.spyOn(BoundedPool.prototype, 'query');
  const lost = Object.assign(new Error('Deadlock found when trying to get lock'), { code: 'ER_LOCK_DEADLOCK' });
  for (let time = 0; time < times; time += 1) {
    spy.mockImplementationOnce((_sql, _parameters, done) => Reflect.apply(done, undefined, [lost]));
  }
  return spy;
}

test('a statement outside of a transaction that loses against another transaction runs again', async () => {
  const spy = loseStatements(3);
  expect((await store.write(INSERT_SQL, ['lost', 1, '2026-01'])).affectedRows).toBe(1);
  expect(spy).toHaveBeenCalledTimes(4);
  spy.mockRestore();
});

test('a statement and a transaction that lose four times are UNAVAILABLE, and still known as contention', async () => {
  const spy = loseStatements(4);
  const alone: unknown = await store.rows('SELECT 1').catch((fault: unknown) => fault);
  spy.mockRestore();
  let attempts = 0;
  const whole: unknown = await store
    .transaction(async () => {
      attempts += 1;
      throw Object.assign(new Error('certification failed'), { code: 'ER_LOCK_DEADLOCK' });
    })
    .catch((fault: unknown) => fault);
  expect(attempts).toBe(4);
  for (const error of [alone, whole]) {
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(isContention(error)).toBe(true);
  }
});

test.each([
  ['without entities', []],
  ['with entities', [AccountEntity]],
])('opening waits for a database that comes later, %s', async (_, entities) => {
  const { port: behind } = new URL(database.url);
  let refused = 0;
  const door = createServer((socket) => {
    refused += 1;
    if (refused <= 2) return socket.destroy();
    const through = connect(Number(behind), '127.0.0.1');
    return pipeline(socket, through, socket, () => {});
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  const address = door.address();
  if (typeof address === 'object' && address) url.port = String(address.port);
  const opened = await openStore({ url: url.href, pool: 1 }, entities);
  expect(await opened.ping()).toBe(true);
  expect(refused).toBe(3);
  await opened.close();
  door.close();
});

test('openStore does not wait when the database refuses the credentials', async () => {
  const url = new URL(database.url);
  url.password = 'wrong';
  await expect(openStore({ url: url.href, pool: 1 })).rejects.toMatchObject({ code: 'ER_ACCESS_DENIED_ERROR' });
});

test('a database that cannot be reached is UNAVAILABLE', async () => {
  const nowhere = openStore({ url: 'mysql://u:p@127.0.0.1:1/none', pool: 1 }, [], { waitMs: 0 });
  await expect(nowhere).rejects.toThrow(/ECONNREFUSED|away/);
  const closed = await openStore({ url: database.url, pool: 1 });
  await closed.close();
  await expect(closed.rows('SELECT 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
