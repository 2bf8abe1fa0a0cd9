import { openStore, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import { waitUntil } from '../../../../test/support/wait-until';
import { removeSchedulesOfDeletedProcess, createOrphanedScheduleSweep } from './schedule-removal';

let database: { url: string; drop(): Promise<void> };
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 3, statementMs: 60_000 });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** Inserts a schedule of a deleted process, with more firings than one bite removes. */
async function addOrphan(processID: string): Promise<string> {
  const id = uuid();
  await store.write(
    `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active, created_at)
       VALUES (?, ?, '', 'u', 'e', 'n', '* * * * *', '{}', 0, NOW(3))`,
    [id, processID],
  );
  await store.write(
    "INSERT INTO schedule_firing (schedule_id, nominal_at, result) SELECT ?, NOW(3) + INTERVAL seq SECOND, 'fired' FROM seq_1_to_1200",
    [id],
  );
  return id;
}

const rowExists = async (table: string, id: string) =>
  (await store.row(`SELECT 1 AS found FROM ${table} WHERE schedule_id = ?`, [id])) !== undefined;

type Removal = (processID: string, isStopping: () => boolean) => Promise<number>;
test.each<[string, Removal]>([
  ['a sweep', (_processID, isStopping) => createOrphanedScheduleSweep(store, isStopping).sweep()],
  [
    'the handler of a deletion',
    (processID, isStopping) => removeSchedulesOfDeletedProcess(store, processID, isStopping),
  ],
])('%s ends within a bite when the service stops, however many schedules and firings are left', async (_, remove) => {
  const processID = uuid();
  const [first, second] = [await addOrphan(processID), await addOrphan(processID)];
  let stopping = false;
  let removal: Promise<number> | undefined;
  await store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM schedule_firing WHERE schedule_id = ? FOR UPDATE', [first]);
    removal = remove(processID, () => stopping);
    await waitUntil('the first schedule is removed', async () => !(await rowExists('schedule', first)));
    stopping = true;
  });
  expect(await removal).toBe(1);
  expect(await rowExists('schedule_firing', first)).toBe(true);
  expect(await rowExists('schedule', second)).toBe(true);
  await store.write('DELETE FROM schedule');
});
