import { openStore, type Store } from '@batuta/database';
import { createLogger } from '@batuta/logging';
import { PeriodicTasks } from '@batuta/service';
import { SchedulerRegistry } from '@nestjs/schedule';
import { recordStatements } from '../support/query-plans';
import { createTestDatabase, type TestDatabase } from '../support/servers';

let database: TestDatabase;
let store: Store;
let tasks: PeriodicTasks;
beforeAll(async () => {
  database = await createTestDatabase();
  store = await openStore({ url: database.url, pool: 2 });
});
beforeEach(() => {
  tasks = new PeriodicTasks(new SchedulerRegistry(), createLogger('test', 'silent'));
});
afterEach(() => tasks.stop());
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

test('the statements of a periodic task are not among those of the recorded work', async () => {
  const statements = await recordStatements(async () => {
    await store.rows('SELECT 1');
    await new Promise<void>((ran) => {
      tasks.every('other work', 1, async () => {
        await store.rows('SELECT 2');
        ran();
      });
    });
    await store.transaction((tx) => tx.rows('SELECT 3'));
  });
  expect(statements.map(({ sql }) => sql)).toEqual(['SELECT 1', 'SELECT 3']);
});
