import { setImmediate } from 'node:timers/promises';
import { EntitySchema } from 'typeorm';
import { startTestMariadb, type TestServer } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { databaseFault, openStore, Store } from '.';

// A server that a cluster has made read-only, or that has left its cluster, answers and must not be used.

const NoteEntity = new EntitySchema<{ id: number }>({
  name: 'note',
  columns: { id: { type: Number, primary: true } },
});
type StoreKind = 'TypeORM' | 'plain' | 'pipelined';
const STORE_KINDS: StoreKind[] = ['TypeORM', 'plain', 'pipelined'];
const UNAVAILABLE_ERROR = { code: 'UNAVAILABLE' };

const openedStores: Store[] = [];
afterEach(() => Promise.all(openedStores.splice(0).map((store) => store.close())));

describe('read-only servers', () => {
  let server: TestServer;
  let root: Store;
  beforeAll(async () => {
    server = await startTestMariadb();
    root = await openStore({ url: server.url, pool: 1 });
    await root.write('CREATE TABLE note (id int NOT NULL PRIMARY KEY) ENGINE=InnoDB');
    await root.write("CREATE USER 'service'@'%' IDENTIFIED BY 'service'");
    await root.write("GRANT SELECT, INSERT ON *.* TO 'service'@'%'");
  });
  afterEach(async () => {
    await root.write('SET GLOBAL read_only = 0');
    await root.write('DELETE FROM note');
  });
  afterAll(async () => {
    await root?.close();
    await server?.stop();
  });

  /** Opens a Store as a user whose writes a read-only server refuses. */
  async function openAsService(kind: StoreKind, pool: number): Promise<Store> {
    const url = new URL(server.url);
    [url.username, url.password] = ['service', 'service'];
    const config = { url: url.href, pool, pipelined: kind === 'pipelined' };
    const store = await openStore(config, kind === 'TypeORM' ? [NoteEntity] : []);
    openedStores.push(store);
    return store;
  }

  test.each(STORE_KINDS)(
    'a server that turned read-only counts as unavailable for %s connections, which are replaced, and is not ready',
    async (kind) => {
      const store = await openAsService(kind, 1);
      const connection = async () => (await store.row<{ id: number }>('SELECT CONNECTION_ID() AS id'))?.id;
      expect(await store.ping()).toBe(true);
      await root.write('SET GLOBAL read_only = 1');
      expect(await store.ping()).toBe(false);
      let id = await connection();
      await expect(store.write('INSERT INTO note VALUES (1)')).rejects.toMatchObject(UNAVAILABLE_ERROR);
      expect(await connection()).not.toBe(id);
      id = await connection();
      const inTransaction = store.transaction((tx) => tx.write('INSERT INTO note VALUES (1)'));
      await expect(inTransaction).rejects.toMatchObject(UNAVAILABLE_ERROR);
      expect(await connection()).not.toBe(id);
    },
  );

  test.each(STORE_KINDS)(
    'a server that turned read-only fails a %s transaction, which then runs once more on another connection',
    async (kind) => {
      const store = await openAsService(kind, 2);
      await root.write('SET GLOBAL read_only = 1');
      const connections: (number | undefined)[] = [];
      const attempt = (id: number, becomesWriter: boolean) =>
        store.transaction(async (tx) => {
          connections.push((await tx.row<{ id: number }>('SELECT CONNECTION_ID() AS id'))?.id);
          if (connections.length === 2 && becomesWriter) await root.write('SET GLOBAL read_only = 0');
          await tx.write('INSERT INTO note VALUES (?)', [id]);
        });
      await expect(attempt(1, false)).rejects.toMatchObject(UNAVAILABLE_ERROR);
      expect(new Set(connections).size).toBe(2);
      connections.length = 0;
      await attempt(2, true);
      expect(new Set(connections).size).toBe(2);
      expect(await root.rows('SELECT id FROM note')).toEqual([{ id: 2 }]);
    },
  );

  test.each(STORE_KINDS)(
    'a server that turned read-only under load loses nothing that %s transactions and writes have reported as stored, and serves again when it accepts writes',
    async (kind) => {
      const store = await openAsService(kind, 4);
      const stored: number[] = [];
      const refused: number[] = [];
      let ids = 0;
      const end = new AbortController();
      const insert = (id: number) =>
        id % 2 === 0
          ? store.write('INSERT INTO note VALUES (?)', [id])
          : store.transaction(async (tx) => {
              await tx.rows('SELECT 1');
              tx.atCommit('INSERT INTO note VALUES (?)', [id]);
            });
      const load = async () => {
        while (!end.signal.aborted) {
          const id = (ids += 1);
          // A refusal may come without input or output, for which the timers of the test wait.
          await setImmediate();
          await insert(id).then(
            () => stored.push(id),
            (error: unknown) => {
              expect(error).toMatchObject(UNAVAILABLE_ERROR);
              refused.push(id);
            },
          );
        }
      };
      const callers = Array.from({ length: 8 }, load);
      const untilMore = (list: number[]) => {
        const wanted = list.length + 20;
        return waitUntil('more calls end so', () => list.length >= wanted);
      };
      await untilMore(stored);
      await root.write('SET GLOBAL read_only = 1');
      await untilMore(refused);
      expect(await store.ping().catch(() => false)).toBe(false);
      await root.write('SET GLOBAL read_only = 0');
      await untilMore(stored);
      await waitUntil('the database is ready', () => store.ping().catch(() => false));
      end.abort();
      await Promise.all(callers);
      const rows = await root.rows<{ id: number }>('SELECT id FROM note ORDER BY id');
      expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(stored));
    },
  );
});

test.each([
  [1290, 'ER_OPTION_PREVENTS_STATEMENT'],
  [1836, 'ER_READ_ONLY_MODE'],
  [1047, 'ER_UNKNOWN_COM_ERROR'],
  [1180, 'ER_ERROR_DURING_COMMIT'],
  [1205, 'ER_LOCK_WAIT_TIMEOUT'],
  [1213, 'ER_LOCK_DEADLOCK'],
])('error %i of a server that must not be used, or of a lost transaction, is UNAVAILABLE', (errno, code) => {
  expect(databaseFault(Object.assign(new Error('WSREP has not yet prepared node'), { errno, code }))).toMatchObject(
    UNAVAILABLE_ERROR,
  );
});
