import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { countOf, registerProcess, startWorld, type ExecutionWorld } from '../../test/world';
import { deleteAuditEvents, removeDeletedProcesses } from './plan-retention.repository';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Adds events that are this many days old and belong to no instance. */
async function addEvents(processID: string, count: number, days: number): Promise<void> {
  await world.store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       SELECT ?, NULL, NULL, 'x', 'e', '{}', UTC_TIMESTAMP(3) - INTERVAL ? DAY FROM seq_1_to_${count}`,
    [processID, days],
  );
}

/** The store, which notes the number of rows of each statement that writes. */
function watchWrites(store: Store, rows: number[]): Store {
  return Object.assign(Object.create(store), {
    write: async (...statement: Parameters<Store['write']>) => {
      const result = await store.write(...statement);
      rows.push(result.affectedRows);
      return result;
    },
    transaction: (work: (tx: Store) => Promise<unknown>) => store.transaction((tx) => work(watchWrites(tx, rows))),
  });
}

/** Adds events and their rows for shares, and deletes the events alone as the previous release does. */
async function leaveRowsForShares(processID: string, count: number): Promise<void> {
  await addEvents(processID, count, 95);
  await world.store.write(
    'INSERT INTO share_event (process_id, account_id, event_id) SELECT process_id, ?, event_id FROM audit_event WHERE process_id = ?',
    [uuid(), processID],
  );
  await world.store.write('DELETE FROM audit_event WHERE process_id = ?', [processID]);
}

test('the rows for shares that the previous release left are deleted in bites, also those of a deleted process', async () => {
  const at = await registerProcess(world.store);
  const deletedID = uuid();
  await world.store.write(
    'INSERT INTO deleted_process (process_id, company_id, deleted_at) VALUES (?, ?, UTC_TIMESTAMP(3) - INTERVAL 3 HOUR)',
    [deletedID, at.companyID],
  );
  for (const processID of [at.processID, deletedID]) await leaveRowsForShares(processID, 1_500);
  await addEvents(at.processID, 1, 91);
  await world.store.write(
    'UPDATE plan SET audit_days = 90 WHERE plan_id = (SELECT plan_id FROM company WHERE company_id = ?)',
    [at.companyID],
  );
  const rows: number[] = [];
  const watched = watchWrites(world.store, rows);
  expect(await deleteAuditEvents(watched)).toEqual({ rows: 1, behindSeconds: 0 });
  await removeDeletedProcesses(watched, { after: '' });
  expect(await countOf(world.store, 'share_event', 'process_id IN (?)', [[at.processID, deletedID]])).toBe(0);
  expect(Math.max(...rows)).toBeLessThanOrEqual(500);
});
