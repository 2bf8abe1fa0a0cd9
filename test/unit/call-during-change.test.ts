import { openStore, type Store } from '@batuta/database';
import { callDuringChange } from '../support/call-during-change';
import { createMigratedDatabase } from '../support/migrated-database';
import type { TestDatabase } from '../support/servers';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 5 });
  await store.write("INSERT INTO plan VALUES ('a', 'a', 1, 1, 1, 1, 1, UTC_TIMESTAMP(3), NULL, NULL)");
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

const rename = (tx: Store) => tx.write("UPDATE plan SET name = 'b' WHERE plan_id = 'a'");

test('a call that waits for a lock of the change sees the change', async () => {
  const call = () =>
    store.transaction((tx) => tx.row<{ name: string }>("SELECT name FROM plan WHERE plan_id = 'a' FOR UPDATE"));
  expect(await callDuringChange(store, rename, call)).toEqual({ name: 'b' });
});

test('a call whose write waits for the row that the change ends finds it ended', async () => {
  await store.write("INSERT INTO plan VALUES ('c', 'c', 1, 1, 1, 1, 1, UTC_TIMESTAMP(3), NULL, NULL)");
  const remove = (tx: Store) => tx.write("DELETE FROM plan WHERE plan_id = 'c'");
  const call = () => store.write("UPDATE plan SET name = 'd' WHERE plan_id = 'c'");
  expect(await callDuringChange(store, remove, call, { blocked: 'write' })).toMatchObject({ affectedRows: 0 });
});

test('a call that is answered without waiting for a lock of the change is an error', async () => {
  const call = () => store.row("SELECT name FROM plan WHERE plan_id = 'a'");
  await expect(callDuringChange(store, rename, call)).rejects.toThrow('without waiting for a lock');
});
