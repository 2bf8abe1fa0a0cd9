import { withRequestID } from '@batuta/logging';
import { createTestDatabase, type TestDatabase } from '../../../test/support/servers';
import { ConnectionQueue } from './connection-queue';
import { asError } from './driver';
import { createBoundedPool } from './pool';
import { openStore, Store } from '.';

const CONNECTIONS = 4;
/** The minimum number of connections of a tenant, which applies to a pool as small as that of these tests. */
const TENANT_SHARE = 2;

let database: TestDatabase;
const openedStores: Store[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const store = await openStore({ url: database.url, pool: 1 });
  await store.write('CREATE TABLE note (id int NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB');
  await store.write('CREATE TABLE counter (n int NOT NULL) ENGINE=InnoDB');
  await store.write('INSERT INTO counter VALUES (0)');
  await store.close();
});
afterAll(async () => {
  await Promise.all(openedStores.map((store) => store.close()));
  await database?.drop();
});

/** A store whose callers wait for a connection for as long as the test takes. */
function storeWithLongWaits(maxWaiting?: number): Store {
  const pool = createBoundedPool({ url: database.url, pool: CONNECTIONS }, { waitMs: 60_000, maxWaiting });
  const store = Store.fromConnections({ pool, pipelined: false });
  openedStores.push(store);
  return store;
}

const asTenant = <T>(tenant: string, work: () => Promise<T>) => withRequestID(undefined, work, { tenant });

const write = (store: Store) =>
  store.transaction(async (tx) => {
    await tx.write('INSERT INTO note VALUES ()');
    await tx.rows('SELECT SLEEP(0.01)');
  });

test.each([1, 200])(
  '%i writes of a tenant that wait for a lock hold back no write of another tenant',
  async (number) => {
    const store = storeWithLongWaits();
    const ended: string[] = [];
    const locking = await openStore({ url: database.url, pool: 1 });
    openedStores.push(locking);
    let flood: Promise<unknown>[] = [];
    await locking.transaction(async (tx) => {
      await tx.rows('SELECT * FROM counter FOR UPDATE');
      const count = () => asTenant('hostile', () => store.write('UPDATE counter SET n = n + 1'));
      flood = Array.from({ length: number }, () => count().then(() => ended.push('hostile')));
      await asTenant('other', () => write(store)).then(() => ended.push('other'));
    });
    await Promise.all(flood);
    expect([ended[0], ended.length]).toEqual(['other', number + 1]);
  },
);

test('tenants that use up a pool together take turns with a further one', async () => {
  const pool = createBoundedPool({ url: database.url, pool: CONNECTIONS }, { waitMs: 60_000 });
  // The order in which they get a connection, because that in which their statements end is up to the database.
  const took: string[] = [];
  const takeAs = (tenant: string) =>
    asTenant(
      tenant,
      () =>
        new Promise<void>((resolve, reject) => {
          pool.getConnection((error, connection) => {
            if (error) return reject(asError(error));
            took.push(tenant);
            setImmediate(() => {
              connection.release();
              resolve();
            });
          });
        }),
    );
  const floods = Array.from({ length: 100 }, (_, n) => takeAs(`hostile-${n % 2}`));
  await Promise.all([...floods, takeAs('other')]);
  await new Promise<void>((resolve) => pool.end(() => resolve()));
  expect([took.length, took.indexOf('other') <= 2 * CONNECTIONS]).toEqual([101, true]);
});

test('a tenant beyond its share of the waiting requests is refused with UNAVAILABLE, and others are not', async () => {
  const store = storeWithLongWaits(8);
  const outcomeOf = (tenant: string) =>
    asTenant(tenant, () => write(store)).then(
      () => 'done',
      (error: unknown) => Object(error).code,
    );
  const outcomes = Array.from({ length: 10 }, () => outcomeOf('hostile'));
  expect(await outcomeOf('other')).toBe('done');
  const refused = (await Promise.all(outcomes)).filter((outcome) => outcome === 'UNAVAILABLE');
  expect(refused).toHaveLength(10 - TENANT_SHARE - 2);
});

describe('turns', () => {
  const requestOf = (tenant?: string) => ({ tenant });

  test('requests of the service and of tenants are served in turn', () => {
    const queue = new ConnectionQueue<{ tenant: string | undefined }>(4, 100);
    for (const tenant of ['a', 'a', undefined, undefined, 'b']) queue.add(requestOf(tenant));
    const served = Array.from({ length: 6 }, () => queue.next());
    expect(served.map((request) => request && (request.tenant ?? 'service'))).toEqual([
      'service',
      'a',
      'service',
      'b',
      'a',
      undefined,
    ]);
  });

  test('in a full queue the tenant with the most requests loses its newest one to another', () => {
    const queue = new ConnectionQueue<{ tenant: string | undefined }>(4, 8);
    const requests = ['a', 'a', 'b', 'b', 'c', 'c', undefined, undefined].map((tenant) => requestOf(tenant));
    expect(requests.map((request) => queue.add(request))).toEqual(requests.map(() => undefined));
    expect(queue.add(requestOf('d'))).toBe(requests[1]);
    const beyondShare = requestOf('b');
    expect(queue.add(beyondShare)).toBe(beyondShare);
    expect(queue.size).toBe(8);
  });
});
