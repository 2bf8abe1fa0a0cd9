import { execution } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { countOf, creditsOf, registerProcess, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { carryLedgers, deleteAuditEvents, removeDeletedProcesses } from './plan-retention.repository';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

interface Entry {
  entry_id: number;
  kind: string;
  amount: number;
  instance_id: string | null;
}

/** Sets the days in the plan of the company; null = for ever. */
async function setDays(column: 'audit_days' | 'ledger_days', companyID: string, days: number | null): Promise<void> {
  await world.store.write(
    `UPDATE plan SET ${column} = ? WHERE plan_id = (SELECT plan_id FROM company WHERE company_id = ?)`,
    [days, companyID],
  );
}

/** A company with `starts` started instances, whose ledger entries are 100 days old except for the newest `young`. */
async function makeLedger(starts: number, young = 0) {
  const at = await registerProcess(world.store, { credits: 10_000 });
  const requests = Array.from({ length: starts }, () => startRequest(at));
  for (const request of requests) await world.rpc.call(execution.start, request);
  await makeOlder(at.companyID, young);
  return { ...at, instanceIDs: requests.map(({ instanceID }) => instanceID) };
}

/** Makes the ledger entries of the company 100 days old, except for the newest `young`. */
async function makeOlder(companyID: string, young = 0): Promise<void> {
  const ids = (await entriesOf(companyID)).map(({ entry_id }) => entry_id);
  await world.store.write(
    'UPDATE credit_entry SET created_at = UTC_TIMESTAMP(3) - INTERVAL 100 DAY WHERE entry_id IN (?)',
    [ids.slice(0, ids.length - young)],
  );
}

const entriesOf = (companyID: string) =>
  world.store.rows<Entry>(
    'SELECT entry_id, kind, amount, instance_id FROM credit_entry WHERE company_id = ? ORDER BY entry_id',
    [companyID],
  );

/** Adds events that are this many days old and belong to no instance. */
async function addEvents(processID: string, count: number, days: number): Promise<void> {
  await world.store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       SELECT ?, NULL, NULL, 'x', 'e', '{}', UTC_TIMESTAMP(3) - INTERVAL ? DAY FROM seq_1_to_${count}`,
    [processID, days],
  );
}
const countEvents = (processID: string) => countOf(world.store, 'audit_event', 'process_id = ?', [processID]);

test('one carried entry takes the place of the entries older than the days of the plan, and the sum of the ledger stays the balance', async () => {
  const at = await makeLedger(30, 3);
  await setDays('ledger_days', at.companyID, 90);
  const [before, entries] = [await creditsOf(world.store, at.companyID), await entriesOf(at.companyID)];
  expect(await carryLedgers(world.store)).toEqual({ rows: 28, behindSeconds: 0 });
  const after = await entriesOf(at.companyID);
  expect(after).toEqual([
    { entry_id: entries[27]?.entry_id, kind: 'carried', amount: 10_000 - 27, instance_id: null },
    ...entries.slice(28),
  ]);
  expect(await creditsOf(world.store, at.companyID)).toEqual(before);
  expect(before.balance).toBe(before.ledger);
  expect(await carryLedgers(world.store)).toEqual({ rows: 0, behindSeconds: 0 });
  expect(await entriesOf(at.companyID)).toEqual(after);
  const page = await world.rpc.call(execution.creditEntries, { companyID: at.companyID, limit: 3 });
  const rest = await world.rpc.call(execution.creditEntries, {
    companyID: at.companyID,
    limit: 3,
    before: page.older?.before,
  });
  expect(page.entries.map(({ kind }) => kind)).toEqual(['start', 'start', 'start']);
  expect(rest).toEqual({
    entries: [{ at: expect.any(String), kind: 'carried', amount: 10_000 - 27, instanceID: null }],
  });
});

test('entries that become old later are added to the carried one', async () => {
  const at = await makeLedger(5);
  await setDays('ledger_days', at.companyID, 90);
  await carryLedgers(world.store);
  for (let n = 0; n < 4; n += 1) await world.rpc.call(execution.start, startRequest(at));
  await makeOlder(at.companyID, 1);
  const entries = await entriesOf(at.companyID);
  expect((await carryLedgers(world.store)).rows).toBe(3);
  expect(await entriesOf(at.companyID)).toEqual([
    { entry_id: entries[3]?.entry_id, kind: 'carried', amount: 10_000 - 8, instance_id: null },
    entries[4],
  ]);
  const { balance, ledger } = await creditsOf(world.store, at.companyID);
  expect([balance, ledger]).toEqual([9_991, 9_991]);
});

test('entries younger than the days of the plan stay, and every entry stays where the plan has no days', async () => {
  const [forEver, longer] = [await makeLedger(3), await makeLedger(3)];
  await setDays('ledger_days', longer.companyID, 101);
  const before = [await entriesOf(forEver.companyID), await entriesOf(longer.companyID)];
  await carryLedgers(world.store);
  expect([await entriesOf(forEver.companyID), await entriesOf(longer.companyID)]).toEqual(before);
});

test('two replicas at once carry each entry once, while starts go on', async () => {
  const at = await makeLedger(1);
  await setDays('ledger_days', at.companyID, 90);
  await world.store.write(
    `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
       SELECT ?, IF(seq % 2, 'start', 'refund'), IF(seq % 2, -1, 1), UUID(), UTC_TIMESTAMP(3) - INTERVAL 99 DAY FROM seq_1_to_2000`,
    [at.companyID],
  );
  const starts = Array.from({ length: 20 }, () => world.rpc.call(execution.start, startRequest(at)));
  const results = await Promise.all([carryLedgers(world.store), carryLedgers(world.store), ...starts]);
  const [first, second] = results;
  expect([first, second].reduce((sum, result) => sum + ('rows' in result ? result.rows : 0), 0)).toBe(2_002);
  const entries = await entriesOf(at.companyID);
  expect(entries.map(({ kind }) => kind)).toEqual(['carried', ...Array.from({ length: 20 }, () => 'start')]);
  const { balance, ledger } = await creditsOf(world.store, at.companyID);
  expect([balance, ledger]).toEqual([9_979, 9_979]);
});

test('a sweep that ends between or within two bites leaves a ledger whose sum is the balance, and the next one continues', async () => {
  const at = await makeLedger(1);
  await world.store.write('UPDATE plan SET ledger_days = NULL');
  await setDays('ledger_days', at.companyID, 90);
  await world.store.write(
    `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
       SELECT ?, IF(seq % 2, 'start', 'refund'), IF(seq % 2, -1, 1), UUID(), UTC_TIMESTAMP(3) - INTERVAL 99 DAY FROM seq_1_to_500`,
    [at.companyID],
  );
  let bites = 0;
  // The second bite fails after its writes, as if the service were killed.
  const transaction = world.store.transaction.bind(world.store);
  const interrupted: Store = Object.assign(Object.create(world.store), {
    transaction: (work: (tx: Store) => Promise<unknown>) =>
      transaction(async (tx) => {
        const result = await work(tx);
        bites += 1;
        if (bites === 2) tx.atCommit('SELECT nothing FROM nowhere');
        return result;
      }),
  });
  await expect(carryLedgers(interrupted)).rejects.toThrow('nowhere');
  expect(bites).toBe(2);
  const [carried, ...rest] = await entriesOf(at.companyID);
  expect([carried?.kind, rest.length > 0]).toEqual(['carried', true]);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9_999, ledger: 9_999 });
  await carryLedgers(world.store);
  expect(await entriesOf(at.companyID)).toMatchObject([{ kind: 'carried', amount: 9_999 }]);
});

test('an instance whose ledger entry was carried is not started again, and its credit comes back when it ends in the queue', async () => {
  const at = await makeLedger(1);
  await setDays('ledger_days', at.companyID, 30);
  await carryLedgers(world.store);
  const [instanceID = ''] = at.instanceIDs;
  await world.rpc.call(execution.start, { ...startRequest(at), instanceID });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9_999, ledger: 9_999 });
  await world.rpc.call(execution.control, {
    instanceID,
    action: 'stop',
    viewer: { accountID: at.ownerID },
    executor: 'erp',
  });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 10_000, ledger: 10_000 });
  expect((await entriesOf(at.companyID)).map(({ kind }) => kind)).toEqual(['carried', 'refund']);
});

test('audit events are deleted after the days of the plan, also those of deleted processes, and of no other company', async () => {
  const [short, forEver] = [await registerProcess(world.store), await registerProcess(world.store)];
  const deletedID = uuid();
  await world.store.write(
    'INSERT INTO deleted_process (process_id, company_id, deleted_at) VALUES (?, ?, UTC_TIMESTAMP(3))',
    [deletedID, short.companyID],
  );
  const unknownID = uuid();
  for (const processID of [short.processID, deletedID, forEver.processID, unknownID]) {
    await addEvents(processID, 700, 91);
    await addEvents(processID, 5, 89);
  }
  await setDays('audit_days', short.companyID, 90);
  expect(await deleteAuditEvents(world.store)).toEqual({ rows: 1_400, behindSeconds: 0 });
  expect([await countEvents(short.processID), await countEvents(deletedID)]).toEqual([5, 5]);
  expect([await countEvents(forEver.processID), await countEvents(unknownID)]).toEqual([705, 705]);
  expect(await deleteAuditEvents(world.store)).toEqual({ rows: 0, behindSeconds: 0 });
});

test('the rows for shares go with the audit events, also those of events that the previous release deleted', async () => {
  const at = await registerProcess(world.store);
  await addEvents(at.processID, 10, 91);
  await addEvents(at.processID, 5, 89);
  await world.store.write(
    'INSERT INTO share_event (process_id, account_id, event_id) SELECT process_id, ?, event_id FROM audit_event WHERE process_id = ?',
    [uuid(), at.processID],
  );
  await world.store.write('DELETE FROM audit_event WHERE process_id = ? ORDER BY event_id LIMIT 3', [at.processID]);
  await setDays('audit_days', at.companyID, 90);
  expect(await deleteAuditEvents(world.store)).toEqual({ rows: 7, behindSeconds: 0 });
  const counts = [
    await countEvents(at.processID),
    await countOf(world.store, 'share_event', 'process_id = ?', [at.processID]),
  ];
  expect(counts).toEqual([5, 5]);
});

test('two replicas at once delete the same old audit events, and a company has at most 10,000 of them deleted in one sweep', async () => {
  const at = await registerProcess(world.store);
  await addEvents(at.processID, 12_000, 40);
  await addEvents(at.processID, 5, 1);
  await setDays('audit_days', at.companyID, 30);
  const { rows, behindSeconds } = await deleteAuditEvents(world.store);
  expect(rows).toBeLessThan(11_000);
  expect(await countEvents(at.processID)).toBe(12_005 - rows);
  expect(behindSeconds).toBeGreaterThan(9 * 86_400);
  await Promise.all([deleteAuditEvents(world.store), deleteAuditEvents(world.store)]);
  expect(await countEvents(at.processID)).toBe(5);
});

test('the company of a deleted process is forgotten with the last event of the process, and not before a late one may come', async () => {
  const at = await registerProcess(world.store);
  const [used, unused, fresh] = [uuid(), uuid(), uuid()];
  for (const [processID, hours] of [
    [used, 3],
    [unused, 3],
    [fresh, 1],
  ] as const) {
    await world.store.write(
      'INSERT INTO deleted_process (process_id, company_id, deleted_at) VALUES (?, ?, UTC_TIMESTAMP(3) - INTERVAL ? HOUR)',
      [processID, at.companyID, hours],
    );
  }
  await addEvents(used, 1, 40);
  const known = async () => {
    await removeDeletedProcesses(world.store, { after: '' });
    const rows = await world.store.rows<{ process_id: string }>(
      'SELECT process_id FROM deleted_process WHERE company_id = ?',
      [at.companyID],
    );
    return rows.map((row) => row.process_id).toSorted();
  };
  expect(await known()).toEqual([used, fresh].toSorted());
  await setDays('audit_days', at.companyID, 30);
  await deleteAuditEvents(world.store);
  expect(await known()).toEqual([fresh]);
});

test('starts and refunds wait for no lock of the entries that are being carried', async () => {
  const at = await makeLedger(3);
  await world.store.write('UPDATE plan SET ledger_days = NULL');
  await setDays('ledger_days', at.companyID, 90);
  const [instanceID = ''] = at.instanceIDs;
  const transaction = world.store.transaction.bind(world.store);
  let during = 0;
  const watched: Store = Object.assign(Object.create(world.store), {
    transaction: (work: (tx: Store) => Promise<unknown>) =>
      transaction(async (tx) => {
        const result = await work(tx);
        if (during > 0) return result;
        // The transaction holds its locks until these requests have ended.
        await world.rpc.call(execution.start, startRequest(at));
        const viewer = { accountID: at.ownerID };
        await world.rpc.call(execution.control, { instanceID, action: 'stop', viewer, executor: 'erp' });
        during = (await entriesOf(at.companyID)).length;
        return result;
      }),
  });
  await carryLedgers(watched);
  expect(during).toBe(6);
  expect((await entriesOf(at.companyID)).map(({ kind }) => kind)).toEqual(['carried', 'start', 'refund']);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9_997, ledger: 9_997 });
});
