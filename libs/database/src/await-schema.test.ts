import { createTestDatabase } from '../../../test/support/servers';
import { awaitSchema, migrate, pendingMigrations } from '.';

let database: { url: string; drop(): Promise<void> };

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

test('every migration is pending in an empty database, and pendingMigrations writes nothing', async () => {
  const pending = await pendingMigrations(database.url);
  expect(await pendingMigrations(database.url)).toEqual(pending);
  expect(await migrate(database.url)).toEqual(pending);
  expect(await pendingMigrations(database.url)).toEqual([]);
});

test('awaitSchema resolves once the migrations are applied', async () => {
  const waiting = awaitSchema(database.url, { pollMs: 20 });
  await migrate(database.url);
  await expect(waiting).resolves.toBeUndefined();
});

test('awaitSchema names the missing migrations after its time limit', async () => {
  const [first = 'none'] = await pendingMigrations(database.url);
  await expect(awaitSchema(database.url, { timeoutMs: 0 })).rejects.toThrow(first);
});

test('awaitSchema throws the error of a database that does not answer', async () => {
  const nowhere = new URL(database.url);
  nowhere.port = '1';
  await expect(awaitSchema(nowhere.href, { timeoutMs: 0 })).rejects.toThrow('ECONNREFUSED');
});

describe('clock', () => {
  beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(0));
  afterEach(() => jest.restoreAllMocks());

  test('awaitSchema ends after its time limit, whatever the clock of the machine says', async () => {
    await expect(awaitSchema(database.url, { timeoutMs: 50, pollMs: 5 })).rejects.toThrow('The database lacks');
  });
});

test('awaitSchema tells why it waits, and no reason twice in a row', async () => {
  const reasons: string[] = [];
  const firstReason = Promise.withResolvers<void>();
  const onWait = (reason: string) => {
    reasons.push(reason);
    firstReason.resolve();
  };
  const waiting = awaitSchema(database.url, { pollMs: 5, onWait });
  await firstReason.promise;
  await migrate(database.url);
  await waiting;
  expect(reasons[0]).toMatch(/^The database lacks \w+/);
  expect(reasons.filter((reason, index) => reason === reasons[index - 1])).toEqual([]);
});
