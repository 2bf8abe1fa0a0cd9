import { ApiError } from '@batuta/errors';
import { EntitySchema } from 'typeorm';
import { openBlackHole, type BlackHole } from '../../../test/support/black-hole';
import { openLossyProxy, type LossyProxy } from '../../../test/support/dropped-packets';
import { holdTimers } from '../../../test/support/held-timers';
import { LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createTestDatabase, type TestDatabase } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { BoundedPool } from './bounded-pool';
import { isFailedTls } from './driver';
import { createBoundedPool } from './pool';
import { isDatabaseAway } from './store';
import { databaseFault, openStore, Store } from '.';

const STATEMENT_LIMIT_MS = 300;
const QUEUE_LIMIT_MS = 2_000;
const NoteEntity = new EntitySchema<{ id: number }>({
  name: 'note',
  columns: { id: { type: Number, primary: true } },
});

let database: TestDatabase;
let directStore: Store;
let blackHole: BlackHole;
const openedStores: Store[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  directStore = await openStore({ url: database.url, pool: 2 });
  await directStore.write('CREATE TABLE note (id int NOT NULL PRIMARY KEY) ENGINE=InnoDB');
});
beforeEach(async () => {
  blackHole = await openBlackHole(database.url);
});
afterEach(async () => {
  await Promise.all(openedStores.splice(0).map((store) => store.close()));
  await blackHole.close();
  await directStore.write('DELETE FROM note');
});
afterAll(async () => {
  await directStore?.close();
  await database?.drop();
});

type StoreKind = 'TypeORM' | 'plain' | 'pipelined';
const STORE_KINDS: StoreKind[] = ['TypeORM', 'plain', 'pipelined'];

interface BlackHoleOptions {
  url?: string;
  pool?: number;
  connectMs?: number;
}

/** Opens a Store with the short limits, again and again while the server exceeds them. */
async function openThroughBlackHole(kind: StoreKind, options: BlackHoleOptions = {}): Promise<Store> {
  const { url = blackHole.url, pool = 2, connectMs } = options;
  const config = { url, pool, pipelined: kind === 'pipelined', statementMs: STATEMENT_LIMIT_MS, connectMs };
  const store = await waitUntil('the Store opens', () => openStore(config, kind === 'TypeORM' ? [NoteEntity] : []));
  openedStores.push(store);
  return store;
}

const UNAVAILABLE_ERROR = { code: 'UNAVAILABLE' };

/** The rows of a query once it finds some: on a busy machine a new connection may exceed the short limits, and the server may commit late. */
async function rowsOnceBack(store: Store, sql: string): Promise<unknown[] | undefined> {
  let rows: unknown[] | undefined;
  await waitUntil('the database answers again', async () => {
    try {
      rows = await store.rows(sql);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
    }
    return rows !== undefined && rows.length > 0;
  });
  return rows;
}

const readNotes = () => directStore.rows('SELECT id FROM note');
/** The transactions of this database only, because other tests use the same server. */
const TRANSACTIONS_IN_PROGRESS = `SELECT COUNT(*) AS n FROM information_schema.innodb_trx t
  JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id WHERE p.db = DATABASE()`;
const countTransactionsInProgress = async () =>
  Number((await directStore.row<{ n: number }>(TRANSACTIONS_IN_PROGRESS))?.n);

test.each(STORE_KINDS)('a %s statement fails within its limit when the server vanished', async (kind) => {
  const store = await openThroughBlackHole(kind);
  blackHole.dropBytes();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(UNAVAILABLE_ERROR);
});

test('a statement of a repository fails within its limit when the server vanished', async () => {
  const store = await openThroughBlackHole('TypeORM');
  blackHole.dropBytes();
  await expect(store.repository(NoteEntity).find()).rejects.toMatchObject({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
});

test.each(STORE_KINDS)('a %s connection of a vanished server is destroyed, and the next one works', async (kind) => {
  const store = await openThroughBlackHole(kind);
  blackHole.dropBytes();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(UNAVAILABLE_ERROR);
  blackHole.restore();
  expect(await rowsOnceBack(store, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('when one connection is silent, all connections to the same machine are replaced', async () => {
  const store = await openThroughBlackHole('plain', { pool: 4 });
  await waitUntil('four connections are open', async () => {
    await Promise.all(Array.from({ length: 4 }, () => store.rows('SELECT SLEEP(0.05)')));
    return blackHole.connections() === 4;
  });
  blackHole.dropBytes();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(UNAVAILABLE_ERROR);
  await waitUntil('the idle connections are closed', () => blackHole.connections() === 0);
});

test.each(STORE_KINDS)('a %s transaction fails whichever statement the server vanishes at', async (kind) => {
  for (const at of ['begin', 'statement', 'commit']) {
    const store = await openThroughBlackHole(kind);
    const failing = store.transaction(async (tx) => {
      if (at === 'begin') blackHole.dropBytes();
      await tx.write('INSERT INTO note VALUES (1)');
      if (at === 'statement') blackHole.dropBytes();
      await tx.rows('SELECT 1');
      tx.atCommit('INSERT INTO note VALUES (2)');
      if (at === 'commit') blackHole.dropBytes();
    });
    await expect(failing).rejects.toMatchObject(UNAVAILABLE_ERROR);
    blackHole.restore();
  }
  expect(await readNotes()).toEqual([]);
});

test.each(STORE_KINDS)('a %s COMMIT whose reply is lost is UNAVAILABLE, and its rows are found', async (kind) => {
  const store = await openThroughBlackHole(kind);
  let failure: unknown;
  await waitUntil('the server vanishes before the COMMIT', async () => {
    let vanished = false;
    const committed = store.transaction(async (tx) => {
      // On a busy machine it may exceed the limit; then nothing is committed.
      await tx.write('INSERT INTO note VALUES (7)');
      blackHole.dropBytes('replies');
      vanished = true;
    });
    failure = await committed.catch((error: unknown) => error);
    return vanished;
  });
  expect(failure).toMatchObject(UNAVAILABLE_ERROR);
  blackHole.restore();
  expect(await rowsOnceBack(store, 'SELECT id FROM note')).toEqual([{ id: 7 }]);
});

test.each(STORE_KINDS)('a new %s connection fails when the server accepts and never answers', async (kind) => {
  const store = await openThroughBlackHole(kind, { pool: 1, connectMs: 2 * STATEMENT_LIMIT_MS });
  blackHole.dropBytes();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(UNAVAILABLE_ERROR);
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(UNAVAILABLE_ERROR);
  blackHole.restore();
  expect(await rowsOnceBack(store, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a statement may take as long as its Store allows, and the next one has the limit of its own Store', async () => {
  const store = await openThroughBlackHole('plain', { pool: 1 });
  const storeWithLongLimit = store.withStatementLimit(60_000);
  expect(await storeWithLongLimit.rows('SELECT SLEEP(0.6) AS s')).toEqual([{ s: 0 }]);
  expect(await storeWithLongLimit.transaction((tx) => tx.rows('SELECT SLEEP(0.6) AS s'))).toEqual([{ s: 0 }]);
  await expect(store.rows('SELECT SLEEP(5)')).rejects.toMatchObject(UNAVAILABLE_ERROR);
});

test('the unsent statements of a transaction that timed out never reach the server', async () => {
  const store = await openThroughBlackHole('plain', { pool: 1 });
  const failing = store.transaction(async (tx) => {
    await tx.write('INSERT INTO note VALUES (3)');
    blackHole.dropBytes();
  });
  await expect(failing).rejects.toMatchObject(UNAVAILABLE_ERROR);
  await blackHole.close();
  await waitUntil('the server has rolled back', async () => (await countTransactionsInProgress()) === 0);
  expect(await readNotes()).toEqual([]);
});

test('a transaction is not run again when its server leaves the cluster during the COMMIT, because other nodes may have stored it', async () => {
  const store = await openThroughBlackHole('plain');
  let attempts = 0;
  const ended = store.transaction(async () => {
    attempts += 1;
    throw Object.assign(new Error('Got error 6 during COMMIT'), { code: 'ER_ERROR_DURING_COMMIT' });
  });
  await expect(ended).rejects.toMatchObject(UNAVAILABLE_ERROR);
  expect(attempts).toBe(1);
});

test('a connection that is closed or reset before TLS begins counts as away, and one whose certificate is wrong does not', () => {
  const code = 'HANDSHAKE_SSL_ERROR';
  const closed = new Error('Client network socket disconnected before secure TLS connection was established');
  const reset = Object.assign(new Error('read ECONNRESET'), { syscall: 'read', errno: -104 });
  const untrusted = Object.assign(new Error('self-signed certificate in certificate chain'), { code });
  for (const cut of [Object.assign(reset, { code }), Object.assign(closed, { code })]) {
    expect([isDatabaseAway(cut), isFailedTls(cut)]).toEqual([true, false]);
    expect(isFailedTls(new Error('failed', { cause: cut }))).toBe(false);
  }
  expect([isDatabaseAway(untrusted), isFailedTls(untrusted)]).toEqual([false, true]);
  for (const error of [closed, reset, untrusted]) expect(databaseFault(error)).toMatchObject(UNAVAILABLE_ERROR);
});

test('the closing of a Store whose server has vanished comes to an end', async () => {
  const store = await openThroughBlackHole('plain');
  blackHole.dropBytes();
  openedStores.length = 0;
  await expect(store.close()).resolves.toBeUndefined();
});

test('closing a pool succeeds although a connection that is being opened fails', async () => {
  const driver = {
    on: () => {},
    getConnection: () => {},
    end: (ended: (error: unknown) => void) => ended('ETIMEDOUT'),
  };
  const pool = new BoundedPool(driver, { connections: 1, statementMs: STATEMENT_LIMIT_MS, waitMs: 3_000 }, []);
  await expect(new Promise((resolve) => pool.end(resolve))).resolves.toBeUndefined();
});

test('a wait for a connection has a time limit, a full queue refuses at once, and the watcher is told of both', async () => {
  const config = { url: database.url, pool: 1, statementMs: LONG_STATEMENT_MS };
  const pool = createBoundedPool(config, { waitMs: QUEUE_LIMIT_MS, maxWaiting: 1 });
  const store = Store.fromConnections({ pool, pipelined: false });
  openedStores.push(store);
  const watcher = { waited: jest.fn(), refused: jest.fn(), passwordRefused: jest.fn(), tlsFailed: jest.fn() };
  store.watchPool(watcher);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = store.transaction(async (tx) => {
    await tx.rows('SELECT 1');
    await released;
  });
  const limits = holdTimers(QUEUE_LIMIT_MS);
  const late = store.rows('SELECT 1').catch((error: unknown) => error);
  const { poolState } = store;
  limits.fire();
  const refusal = await late;
  const served = store.rows('SELECT 1 AS one');
  limits.release();
  expect(poolState).toEqual({ limit: 1, busy: 1, waiting: 1 });
  expect(refusal).toMatchObject(UNAVAILABLE_ERROR);
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(UNAVAILABLE_ERROR);
  expect(watcher.refused).toHaveBeenCalledTimes(2);
  release();
  await held;
  expect(await served).toEqual([{ one: 1 }]);
  expect(watcher.waited.mock.calls).toEqual([[expect.any(Number)]]);
  expect(store.poolState).toEqual({ limit: 1, busy: 0, waiting: 0 });
});

describe('lost packets', () => {
  let proxy: LossyProxy;
  beforeEach(async () => {
    proxy = await openLossyProxy(database.url);
  });
  afterEach(() => proxy.close());

  test.each(STORE_KINDS)(
    'a server behind a network that drops packets is away for %s connections, works again when packets arrive, and never gets the COMMIT that timed out',
    async (kind) => {
      const store = await openThroughBlackHole(kind, { url: proxy.url });
      const failing = store.transaction(async (tx) => {
        await tx.write('INSERT INTO note VALUES (8)');
        await proxy.dropBytes();
      });
      await expect(failing).rejects.toMatchObject(UNAVAILABLE_ERROR);
      await proxy.restore();
      expect(await rowsOnceBack(store, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await proxy.close();
      await waitUntil('the server has rolled back', async () => (await countTransactionsInProgress()) === 0);
      expect(await readNotes()).toEqual([]);
    },
  );
});
