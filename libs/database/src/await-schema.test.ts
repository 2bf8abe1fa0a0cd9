import { createTestDatabase } from '../../../test/support/servers';
import { awaitSchema, migrate, pendingMigrations } from '.';

let database: { url: string; drop(): Promise<void> };

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

test('in an empty database every migration is pending, and looking leaves it empty', async () => {
  const pending = await pendingMigrations(database.url);
  expect(await pendingMigrations(database.url)).toEqual(pending);
  expect(await migrate(database.url)).toEqual(pending);
  expect(await pendingMigrations(database.url)).toEqual([]);
});

test('waiting ends with the migration that it waits for', async () => {
  const waiting = awaitSchema(database.url, { everyMilliseconds: 20 });
  await migrate(database.url);
  await expect(waiting).resolves.toBeUndefined();
});

test('a schema that stays behind is refused with the names of what it lacks', async () => {
  const [first = 'none'] = await pendingMigrations(database.url);
  await expect(awaitSchema(database.url, { timeoutMilliseconds: 0 })).rejects.toThrow(first);
});

test('a database that does not answer is named as the reason', async () => {
  const nowhere = new URL(database.url);
  nowhere.port = '1';
  await expect(awaitSchema(nowhere.href, { timeoutMilliseconds: 0 })).rejects.toThrow('ECONNREFUSED');
});
