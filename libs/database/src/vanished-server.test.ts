import { EntitySchema } from 'typeorm';
import { openBlackHole, type BlackHole } from '../../../test/support/black-hole';
import { openLossyWay, type LossyWay } from '../../../test/support/dropped-packets';
import {
  createTestDatabase,
  startTestMariadb,
  type TestDatabase,
  type TestServer,
} from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { BoundedPool } from './bounded-pool';
import { createBoundedPool } from './pool';
import { databaseFault, openStore, Store } from '.';

const STATEMENT_MS = 300;
const Note = new EntitySchema<{ id: number }>({
  name: 'note',
  columns: { id: { type: Number, primary: true } },
});

let database: TestDatabase;
let direct: Store;
let hole: BlackHole;
const opened: Store[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  direct = await openStore({ url: database.url, pool: 2 });
  await direct.write('CREATE TABLE note (id int NOT NULL PRIMARY KEY) ENGINE=InnoDB');
});
beforeEach(async () => {
  hole = await openBlackHole(database.url);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await hole.close();
  await direct.write('DELETE FROM note');
});
afterAll(async () => {
  await direct?.close();
  await database?.drop();
});

type StoreKind = 'TypeORM' | 'plain' | 'pipelined';
const STORE_KINDS: StoreKind[] = ['TypeORM', 'plain', 'pipelined'];

async function openThroughHole(kind: StoreKind, pool = 2, connectMs?: number): Promise<Store> {
  const config = { url: hole.url, pool, pipelined: kind === 'pipelined', statementMs: STATEMENT_MS, connectMs };
  const store = await openStore(config, kind === 'TypeORM' ? [Note] : []);
  opened.push(store);
  return store;
}

const away = { code: 'UNAVAILABLE' };
const notes = () => direct.rows('SELECT id FROM note');
/** Resolves with the statements of the database's other connections, its transactions in progress. */
/** Of this database: other tests use the same server. */
const IN_PROGRESS = `SELECT COUNT(*) AS n FROM information_schema.innodb_trx t
  JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id WHERE p.db = DATABASE()`;
const inProgress = async () => Number((await direct.row<{ n: number }>(IN_PROGRESS))?.n);

test.each(STORE_KINDS)('a %s statement fails within its limit when the server vanished', async (kind) => {
  const store = await openThroughHole(kind);
  hole.swallow();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(away);
});

test('a statement of a repository fails within its limit when the server vanished', async () => {
  const store = await openThroughHole('TypeORM');
  hole.swallow();
  await expect(store.repository(Note).find()).rejects.toMatchObject({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
});

test.each(STORE_KINDS)('a %s connection of a vanished server is destroyed, and the next one works', async (kind) => {
  const store = await openThroughHole(kind);
  hole.swallow();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(away);
  hole.restore();
  expect(await store.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('one silent connection renews all that lead to the same machine', async () => {
  const store = await openThroughHole('plain', 4);
  await Promise.all(Array.from({ length: 4 }, () => store.rows('SELECT SLEEP(0.05)')));
  expect(hole.connections()).toBe(4);
  hole.swallow();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(away);
  await waitUntil('the idle connections are closed', () => hole.connections() === 0);
});

test.each(STORE_KINDS)('a %s transaction fails whichever statement the server vanishes at', async (kind) => {
  for (const at of ['begin', 'statement', 'commit']) {
    const store = await openThroughHole(kind);
    const failing = store.transaction(async (tx) => {
      if (at === 'begin') hole.swallow();
      await tx.write('INSERT INTO note VALUES (1)');
      if (at === 'statement') hole.swallow();
      await tx.rows('SELECT 1');
      tx.atCommit('INSERT INTO note VALUES (2)');
      if (at === 'commit') hole.swallow();
    });
    await expect(failing).rejects.toMatchObject(away);
    hole.restore();
  }
  expect(await notes()).toEqual([]);
});

test.each(STORE_KINDS)('a %s COMMIT whose reply vanished is UNAVAILABLE, and what it stored is found', async (kind) => {
  const store = await openThroughHole(kind);
  const failing = store.transaction(async (tx) => {
    await tx.write('INSERT INTO note VALUES (7)');
    hole.swallow('replies');
  });
  await expect(failing).rejects.toMatchObject(away);
  hole.restore();
  expect(await store.rows('SELECT id FROM note')).toEqual([{ id: 7 }]);
});

test.each(STORE_KINDS)('a new %s connection fails when the server accepts and never answers', async (kind) => {
  const store = await openThroughHole(kind, 1, 2 * STATEMENT_MS);
  hole.swallow();
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(away);
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(away);
  hole.restore();
  await expect(store.rows('SELECT 1')).resolves.toHaveLength(1);
});

test('a statement may take as long as its Store allows, and the next one has the limit of its own Store', async () => {
  const store = await openThroughHole('plain', 1);
  const patient = store.withStatementLimit(60_000);
  expect(await patient.rows('SELECT SLEEP(0.6) AS s')).toEqual([{ s: 0 }]);
  expect(await patient.transaction((tx) => tx.rows('SELECT SLEEP(0.6) AS s'))).toEqual([{ s: 0 }]);
  await expect(store.rows('SELECT SLEEP(5)')).rejects.toMatchObject(away);
});

test('what a transaction that timed out had not sent never reaches the server', async () => {
  const store = await openThroughHole('plain', 1);
  const failing = store.transaction(async (tx) => {
    await tx.write('INSERT INTO note VALUES (3)');
    hole.swallow();
  });
  await expect(failing).rejects.toMatchObject(away);
  await hole.close();
  await waitUntil('the server has rolled back', async () => (await inProgress()) === 0);
  expect(await notes()).toEqual([]);
});

test('closing a Store of a vanished server ends', async () => {
  const store = await openThroughHole('plain');
  hole.swallow();
  opened.length = 0;
  await expect(store.close()).resolves.toBeUndefined();
});

test('closing a pool succeeds although a connection that is being opened fails', async () => {
  const driver = {
    on: () => {},
    getConnection: () => {},
    end: (ended: (error: unknown) => void) => ended('ETIMEDOUT'),
  };
  const pool = new BoundedPool(driver, { connections: 1, statementMs: STATEMENT_MS }, []);
  await expect(new Promise((resolve) => pool.end(resolve))).resolves.toBeUndefined();
});

test('waiting for a connection ends by itself, and a full queue refuses at once', async () => {
  const pool = createBoundedPool({ url: database.url, pool: 1 }, { waitMs: 50, maxWaiting: 1 });
  const store = Store.fromConnections({ pool, pipelined: false });
  opened.push(store);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = store.transaction(async (tx) => {
    await tx.rows('SELECT 1');
    await released;
  });
  const late = store.rows('SELECT 1').catch((error: unknown) => error);
  await expect(store.rows('SELECT 1')).rejects.toMatchObject(away);
  expect(await late).toMatchObject(away);
  release();
  await held;
  expect(await store.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

describe('a server behind a network that drops packets', () => {
  let way: LossyWay;
  beforeEach(async () => {
    way = await openLossyWay(database.url);
  });
  afterEach(() => way.close());

  test.each(STORE_KINDS)(
    'is away for %s connections, works again when packets arrive, and never gets the COMMIT that timed out',
    async (kind) => {
      const config = { url: way.url, pool: 2, pipelined: kind === 'pipelined', statementMs: STATEMENT_MS };
      const store = await openStore(config, kind === 'TypeORM' ? [Note] : []);
      opened.push(store);
      const failing = store.transaction(async (tx) => {
        await tx.write('INSERT INTO note VALUES (8)');
        way.swallow();
      });
      await expect(failing).rejects.toMatchObject(away);
      way.restore();
      expect(await store.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await way.close();
      await waitUntil('the server has rolled back', async () => (await inProgress()) === 0);
      expect(await notes()).toEqual([]);
    },
  );
});

describe('a server that turned read-only', () => {
  let server: TestServer;
  let root: Store;
  beforeAll(async () => {
    server = await startTestMariadb();
    root = await openStore({ url: server.url, pool: 1 });
    await root.write('CREATE TABLE note (id int NOT NULL PRIMARY KEY) ENGINE=InnoDB');
    await root.write("CREATE USER 'service'@'%' IDENTIFIED BY 'service'");
    await root.write("GRANT SELECT, INSERT ON *.* TO 'service'@'%'");
  });
  afterEach(() => root.write('SET GLOBAL read_only = 0'));
  afterAll(async () => {
    await root?.close();
    await server?.stop();
  });

  test.each(STORE_KINDS)('is away for %s connections, which are renewed, and is not ready', async (kind) => {
    const url = new URL(server.url);
    [url.username, url.password] = ['service', 'service'];
    const config = { url: url.href, pool: 1, pipelined: kind === 'pipelined' };
    const store = await openStore(config, kind === 'TypeORM' ? [Note] : []);
    opened.push(store);
    const connection = async () => (await store.row<{ id: number }>('SELECT CONNECTION_ID() AS id'))?.id;
    expect(await store.ping()).toBe(true);
    await root.write('SET GLOBAL read_only = 1');
    expect(await store.ping()).toBe(false);
    let id = await connection();
    await expect(store.write('INSERT INTO note VALUES (1)')).rejects.toMatchObject(away);
    expect(await connection()).not.toBe(id);
    id = await connection();
    const inTransaction = store.transaction((tx) => tx.write('INSERT INTO note VALUES (1)'));
    await expect(inTransaction).rejects.toMatchObject(away);
    expect(await connection()).not.toBe(id);
  });
});

test.each([
  [1290, 'ER_OPTION_PREVENTS_STATEMENT'],
  [1836, 'ER_READ_ONLY_MODE'],
  [1047, 'ER_UNKNOWN_COM_ERROR'],
])('error %i of a server that must not be used counts as away', (errno, code) => {
  expect(databaseFault(Object.assign(new Error('WSREP has not yet prepared node'), { errno, code }))).toMatchObject(
    away,
  );
});
