import { randomUUID } from 'node:crypto';
import dns from 'node:dns';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { ApiError } from '@batuta/errors';
import { createLogger } from '@batuta/logging';
import { createPool } from 'mysql2';
import { listenOnFreePort } from '../../../test/support/web-server';
import { AccountEntity, openTestStores, STORE_KINDS, type TestStores } from '../test/stores';
import { BoundedPool, type SessionStatement } from './bounded-pool';
import { isPool } from './driver';
import { createBoundedPool } from './pool';
import { databaseFault, openStore, Store } from '.';

let stores: TestStores;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores?.close());

test.each(STORE_KINDS)(
  'every %s connection has the isolation level READ COMMITTED and the time zone UTC',
  async (_, kind) => {
    const settings = await Promise.all(
      Array.from({ length: 4 }, () =>
        stores[kind].row('SELECT @@tx_isolation AS level, @@time_zone AS zone, SLEEP(0.05) AS s'),
      ),
    );
    expect(settings).toEqual(Array.from({ length: 4 }, () => ({ level: 'READ-COMMITTED', zone: '+00:00', s: 0 })));
  },
);

test.each(STORE_KINDS)(
  'every %s connection waits in a cluster for what other nodes have committed',
  async (_, kind) => {
    expect(await stores[kind].row('SELECT @@wsrep_sync_wait & 1 AS waits')).toEqual({ waits: 1 });
  },
);

test.each(STORE_KINDS)(
  '%s connections read and lock a list of a thousand ids in the order of the index',
  async (_, kind) => {
    const ids = Array.from({ length: 1_000 }, (__, index) => String(1_000 - index).padStart(36, '0'));
    const plan = await stores[kind].rows(
      'EXPLAIN SELECT balance FROM credit_account FORCE INDEX (PRIMARY) WHERE company_id IN (?) ORDER BY company_id FOR UPDATE',
      [ids],
    );
    expect(plan).toEqual([expect.objectContaining({ table: 'credit_account', key: 'PRIMARY', Extra: 'Using where' })]);
  },
);

test('a connection whose server lacks an optional variable is used, and one whose preparation fails is not', async () => {
  const answerAfter = async (statement: SessionStatement) => {
    const driver: unknown = createPool({ uri: stores.url });
    if (!isPool(driver)) throw new Error('The database driver has no pool');
    const pool = new BoundedPool(driver, { connections: 1, statementMs: 60_000, waitMs: 3_000 }, [statement]);
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
  '%s connections wait for a lock or a table for less than the limit of a statement and end idle transactions after ten seconds',
  async (_, kind) => {
    const settings = await stores[kind].row(
      'SELECT @@innodb_lock_wait_timeout AS forRow, @@lock_wait_timeout AS forTable, @@idle_transaction_timeout AS silent',
    );
    expect(settings).toEqual({ forRow: 3, forTable: 3, silent: 10 });
  },
);

test('a Store with entities has repositories inside and outside of transactions', async () => {
  await stores.withEntities.transaction(async (tx) => {
    await tx.repository(AccountEntity).insert({ id: 'entity', balance: 1, period: '2026-01' });
    expect(await stores.withEntities.repository(AccountEntity).existsBy({ id: 'entity' })).toBe(false);
  });
  expect(await stores.withEntities.repository(AccountEntity).existsBy({ id: 'entity' })).toBe(true);
  await stores.withEntities.repository(AccountEntity).delete({ id: 'entity' });
  expect(() => stores.plain.repository(AccountEntity)).toThrow('without entities');
});

test('a Store that is not pipelined refuses several statements in one text', async () => {
  await expect(stores.plain.rows('SELECT 1; SELECT 2')).rejects.toThrow(/syntax/i);
});

test.each([
  ['without entities', []],
  ['with entities', [AccountEntity]],
])('opening waits for a database that starts later, and tells once why, %s', async (_, entities) => {
  const { port: behind } = new URL(stores.url);
  let refused = 0;
  const proxy = createServer((socket) => {
    refused += 1;
    if (refused <= 2) return socket.destroy();
    const through = connect(Number(behind), '127.0.0.1');
    return pipeline(socket, through, socket, () => {});
  });
  const url = new URL(stores.url);
  url.port = String(await listenOnFreePort(proxy));
  const reasons: unknown[] = [];
  const onAway = (error: unknown) => reasons.push(error);
  const opened = await openStore({ url: url.href, pool: 1 }, entities, { onAway });
  expect(await opened.ping()).toBe(true);
  expect(reasons).toEqual([expect.any(Error)]);
  expect(refused).toBe(3);
  await opened.close();
  proxy.close();
});

test('a connection reserves no memory for prepared statements', async () => {
  const CONNECTIONS = 10;
  const pool = createBoundedPool({ url: stores.url, pool: CONNECTIONS });
  const before = getHeapStatistics().used_heap_size;
  const query = promisify(pool.query.bind(pool));
  await Promise.all(Array.from({ length: CONNECTIONS }, () => query('SELECT SLEEP(0.05)', [])));
  const kilobytes = (getHeapStatistics().used_heap_size - before) / 1_024 / CONNECTIONS;
  await promisify(pool.end.bind(pool))();
  expect(kilobytes).toBeLessThan(400);
});

test('openStore does not wait when the database refuses the credentials', async () => {
  const url = new URL(stores.url);
  url.password = 'wrong';
  await expect(openStore({ url: url.href, pool: 1 })).rejects.toMatchObject({ code: 'ER_ACCESS_DENIED_ERROR' });
});

test('a connection above the number that the database allows the user is UNAVAILABLE', async () => {
  const user = `user_${randomUUID().slice(0, 8)}`;
  await stores.plain.write(`CREATE USER ${user} IDENTIFIED BY 'one' WITH MAX_USER_CONNECTIONS 1`);
  await stores.plain.write(`GRANT SELECT ON *.* TO ${user}`);
  const url = new URL(stores.url);
  [url.username, url.password] = [user, 'one'];
  const store = await openStore({ url: url.href, pool: 2 });
  await store.transaction(async (tx) => {
    await tx.row('SELECT 1 AS one');
    await expect(store.row('SELECT 1 AS one')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
  await store.close();
  await stores.plain.write(`DROP USER ${user}`);
});

test.each(STORE_KINDS)(
  'a password that the database refuses for a new %s connection is UNAVAILABLE and reported',
  async (_, kind) => {
    const user = `user_${randomUUID().slice(0, 8)}`;
    await stores.plain.write(`CREATE USER ${user} IDENTIFIED BY 'old'`);
    await stores.plain.write(`GRANT SELECT ON *.* TO ${user}`);
    const url = new URL(stores.url);
    [url.username, url.password] = [user, 'old'];
    const config = { url: url.href, pool: 2, pipelined: kind === 'pipelined' };
    const store = await openStore(config, kind === 'withEntities' ? [AccountEntity] : []);
    const passwordRefused = jest.fn();
    store.watchPool({ waited: () => {}, refused: () => {}, passwordRefused, tlsFailed: () => {} });
    await store.transaction(async (tx) => {
      await tx.row('SELECT 1 AS one');
      await stores.plain.write(`ALTER USER ${user} IDENTIFIED BY 'new'`);
      await expect(store.row('SELECT 1 AS one')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(store.transaction((other) => other.row('SELECT 1 AS one'))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
    });
    expect(passwordRefused).toHaveBeenCalledWith(expect.objectContaining({ code: 'ER_ACCESS_DENIED_ERROR' }));
    await store.close();
    await stores.plain.write(`DROP USER ${user}`);
  },
);

test('a database that cannot be reached is UNAVAILABLE', async () => {
  const nowhere = openStore({ url: 'mysql://u:p@127.0.0.1:1/none', pool: 1 }, [], { waitMs: 0 });
  await expect(nowhere).rejects.toThrow(/ECONNREFUSED|away/);
  const closed = await openStore({ url: stores.url, pool: 1 });
  await closed.close();
  await expect(closed.rows('SELECT 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('the UNAVAILABLE of a database that cannot be reached names the reason in a log, and not in an answer', async () => {
  const fault = databaseFault(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }));
  const lines: string[] = [];
  createLogger('test', 'info', { write: (line) => void lines.push(line) }).warn({ err: fault }, 'a task failed');
  expect(lines.join()).toContain('connect ECONNREFUSED 127.0.0.1:1');
  expect(fault instanceof ApiError && JSON.stringify(fault.toEnvelope())).not.toContain('ECONNREFUSED');
});

describe('a host of the database that cannot be reached for the moment', () => {
  let failures: NodeJS.ErrnoException[];
  let url: string;

  beforeEach(() => {
    failures = [];
    url = Object.assign(new URL(stores.url), { hostname: 'database.example' }).href;
    // Node resolves the name of the host before each connection, and passes on the error of that as the error of the connection.
    jest.spyOn(dns, 'lookup').mockImplementation((...parameters: unknown[]) => {
      const done = parameters.at(-1);
      if (typeof done !== 'function') throw new TypeError('A look-up needs a callback');
      const failure = failures.shift();
      if (failure) done(failure);
      else done(null, [{ address: new URL(stores.url).hostname, family: 4 }]);
    });
  });
  afterEach(() => jest.restoreAllMocks());

  test.each(['EAI_AGAIN', 'ENOTFOUND', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH'])(
    'a connection that fails with %s is UNAVAILABLE, and a service that starts waits for the host',
    async (code) => {
      const failure = Object.assign(new Error(`connect ${code}`), { code });
      failures.push(failure);
      const lazy = Store.fromConnections({ pool: createBoundedPool({ url, pool: 1 }), pipelined: false });
      await expect(lazy.rows('SELECT 1 AS one')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await lazy.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await lazy.close();

      failures.push(failure);
      const reasons: unknown[] = [];
      const opened = await openStore({ url, pool: 1 }, [], { onAway: (error) => reasons.push(error) });
      expect(await opened.ping()).toBe(true);
      expect(reasons).toEqual([expect.objectContaining({ code })]);
      await opened.close();
    },
  );
});
