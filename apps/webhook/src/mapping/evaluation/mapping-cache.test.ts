import { openStore, type Store } from '@batuta/database';
import { createMigratedDatabase } from '../../../../../test/support/migrated-database';
import { publishVersion, registerProcess } from '../../../test/registry';
import { MappingCache } from './mapping-cache';

let store: Store;
let cache: MappingCache;
let processID: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 2 });
  cache = new MappingCache(store);
  ({ processID } = await registerProcess(store));
  close = async () => {
    await store.close();
    await database.drop();
  };
});

afterAll(() => close());

/**
 * Reads a mapping with this number of entries into the cache, then deletes its version, so that another query would
 * find nothing. Returns the version's id.
 */
async function readOnce(fields: number, pointer: string): Promise<string> {
  // All versions are of one process, because the cache knows versions only.
  const entries = Array.from({ length: fields }, (_, n) => ({ pointer, variableId: `v${n}` }));
  const versionID = await publishVersion(store, processID, [{ originID: 'origin', entries }]);
  await cache.mappingOf(versionID, 'origin');
  await store.write('DELETE FROM process_version WHERE version_id = ?', [versionID]);
  return versionID;
}

const countEntries = async (versionID: string) => (await cache.mappingOf(versionID, 'origin')).entries.length;

test('a version is read from the database once', async () => {
  expect(await countEntries(await readOnce(3, '/order/total'))).toBe(3);
});

test('versions with many long pointers evict others, which bounds the size of the cache', async () => {
  const large = await readOnce(500, '/'.repeat(2_000));
  expect(await countEntries(large)).toBe(500);
  for (let more = 0; more < 4; more += 1) await readOnce(500, '/'.repeat(2_000));
  expect(await countEntries(large)).toBe(0);
});

test('hundreds of versions of usual size fit into the cache', async () => {
  const first = await readOnce(20, '/order/customer/name');
  for (let more = 0; more < 200; more += 1) await readOnce(20, '/order/customer/name');
  expect(await countEntries(first)).toBe(20);
});

describe('slow reads', () => {
  /** The first read of the database waits for this promise. */
  let delay: PromiseWithResolvers<void>;
  let reads: jest.SpyInstance;
  beforeEach(() => {
    delay = Promise.withResolvers();
    const read = store.row.bind(store);
    reads = jest.spyOn(store, 'row').mockImplementationOnce(async (sql, parameters) => {
      await delay.promise;
      return read(sql, parameters);
    });
  });
  afterEach(() => reads.mockRestore());

  test('a mapping that larger ones evict while it is read is used all the same', async () => {
    const entries = [{ pointer: '/order/total', variableId: 'v0' }];
    const versionID = await publishVersion(store, processID, [{ originID: 'origin', entries }]);
    const counted = countEntries(versionID);
    for (let more = 0; more < 4; more += 1) await readOnce(500, '/'.repeat(2_000));
    delay.resolve();
    expect(await counted).toBe(1);
  });
});
