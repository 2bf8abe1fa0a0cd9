import { createTestDatabase, type TestDatabase } from '../../../test/support/servers';
import { DatabaseClock, openStore, type Store } from '.';

const MINUTE_MS = 60_000;
let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  store = await openStore({ url: database.url, pool: 1 });
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

test.each([-MINUTE_MS, MINUTE_MS])(
  "a DatabaseClock gives the database's time when this machine's clock is %i ms off",
  async (off) => {
    const actual = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => actual() + off);
    try {
      const clock = await DatabaseClock.read(store);
      await clock.refresh();
      // The test's database shares this machine's clock.
      expect(Math.abs(clock.now() - actual())).toBeLessThan(MINUTE_MS / 4);
    } finally {
      jest.restoreAllMocks();
    }
  },
);

test('a DatabaseClock that was read while the machine stood still is read again', async () => {
  const now = performance.now.bind(performance);
  let stoodStillMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs);
  const row = store.row.bind(store);
  jest.spyOn(store, 'row').mockImplementationOnce(async (sql) => {
    const read = await row(sql);
    stoodStillMs = MINUTE_MS;
    return Object(read);
  });
  try {
    const clock = await DatabaseClock.read(store);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(MINUTE_MS / 4);
  } finally {
    jest.restoreAllMocks();
  }
});
