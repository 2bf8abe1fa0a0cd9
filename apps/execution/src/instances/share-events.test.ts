import { execution, type Trigger } from '@batuta/contracts';
import { openStore, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { recordStatements } from '../../../../test/support/query-plans';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  claimOnce,
  createRunningInstance,
  endReport,
  requestControl,
  requestGrant,
  sendReport,
} from '../../test/instances';
import {
  connectAgent,
  countOf,
  registerProcess,
  startRequest,
  startWorld,
  type ExecutionWorld,
  type TestProcess,
} from '../../test/world';
import { newestEventIDs } from './audit-trail.repository';
import { addMissedShareEvents } from './missed-share-events';
import { writeShareEvents } from './share-event.repository';

let world: ExecutionWorld;
/** A store with one connection, whose counters the server keeps apart. */
let counted: Store;
beforeAll(async () => {
  world = await startWorld();
  counted = await openStore({ url: world.env.DATABASE_URL ?? '', pool: 1 });
});
afterAll(async () => {
  await counted?.close();
  await world?.close();
});

async function startBy(at: TestProcess, accountID: string | null, kind: Trigger['kind'] = 'api'): Promise<string> {
  const trigger = { kind, accountID, userName: 'x', executor: 'x' };
  return (await world.rpc.call(execution.start, startRequest(at, { trigger }))).instanceID;
}

/** Instance id and action of the newest events, at most 500. */
async function auditOf({ processID }: TestProcess, startedBy?: string): Promise<[string | null, string][]> {
  const { events } = await world.rpc.call(execution.audit, { processID, limit: 500, startedBy });
  return events.map(({ instanceID, action }) => [instanceID, action]);
}

/** Rows that `work` reads by indexes on the connection of `counted`. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const rows = await counted.rows<{ Variable_name: string; Value: string }>(
      "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_first', 'Handler_read_key', 'Handler_read_last', 'Handler_read_next', 'Handler_read_prev')",
    );
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

/** Adds events of starts by the owner, whose instances do not exist. */
async function fillEvents({ processID, ownerID }: TestProcess, count: number): Promise<void> {
  await world.store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       SELECT ?, UUID(), ?, 'start', 'e', '{}', UTC_TIMESTAMP(3) FROM seq_1_to_${count}`,
    [processID, ownerID],
  );
  await world.store.rows('ANALYZE TABLE audit_event, share_event');
}

test('a share shows all events of the instances that its account started, of starts in one batch too, and of no others', async () => {
  const at = await registerProcess(world.store);
  const [bia, carlos] = [uuid(), uuid()];
  const [ofOwner, ofBia, ofCarlos, ofWebhook] = await Promise.all([
    startBy(at, at.ownerID),
    startBy(at, bia),
    startBy(at, carlos),
    startBy(at, null, 'webhook'),
  ]);
  await requestControl(world, at, ofCarlos, 'stop');
  const sessionID = await connectAgent(world.store, at.environmentID);
  for (const work of await claimOnce(world, { ...at, sessionID }, 10)) {
    const claimed = { ...at, sessionID, work };
    await requestGrant(world, claimed);
    await sendReport(world, claimed, 1, endReport('FINALIZED'));
  }
  const ends = "process_id = ? AND action = 'end'";
  expect(await countOf(world.store, 'audit_event', ends, [at.processID])).toBe(4);
  expect(await auditOf(at, bia)).toEqual(['end', 'start'].map((action) => [ofBia, action]));
  expect(await auditOf(at, carlos)).toEqual(['end', 'stop', 'start'].map((action) => [ofCarlos, action]));
  const shown = new Set((await auditOf(at)).map(([instanceID]) => instanceID));
  expect(shown).toEqual(new Set([ofOwner, ofBia, ofCarlos, ofWebhook]));
});

test('of the owner who stops an instance, a share shows the name only', async () => {
  const at = await registerProcess(world.store);
  await world.store.write("UPDATE account SET name = 'Ana' WHERE account_id = ?", [at.ownerID]);
  const { ownerID: bia } = await registerProcess(world.store);
  const [byOwner, byBia] = [await startBy(at, bia), await startBy(at, bia)];
  const stop = (instanceID: string, accountID: string, executor: string) =>
    world.rpc.call(execution.control, { instanceID, action: 'stop', viewer: { accountID }, executor });
  await stop(byOwner, at.ownerID, 'ana@example.com');
  const actorsOf = async (instance: string, startedBy?: string) => {
    const { events } = await world.rpc.call(execution.audit, { processID: at.processID, limit: 500, startedBy });
    return events.flatMap(({ instanceID, action, executor, accountID }) =>
      instanceID === instance ? [[action, executor, accountID]] : [],
    );
  };
  const start = ['start', 'x', bia];
  expect(await actorsOf(byOwner, bia)).toEqual([['end', '', null], ['stop', 'Ana', null], start]);
  const all = [['end', 'ana@example.com', null], ['stop', 'ana@example.com', at.ownerID], start];
  expect(await actorsOf(byOwner)).toEqual(all);
  await stop(byBia, bia, 'x');
  expect(await actorsOf(byBia, bia)).toEqual([['end', 'x', null], ['stop', 'x', bia], start]);
});

test('a share shows that an instance which it started ended in a cancelled queue', async () => {
  const at = await createRunningInstance(world, { cancelQueue: true });
  const bia = uuid();
  await startBy(at, bia);
  await sendReport(world, at, 1, endReport('ERROR'));
  const executorsOf = async (startedBy?: string) => {
    const { events } = await world.rpc.call(execution.audit, { processID: at.processID, limit: 500, startedBy });
    return events.flatMap(({ action, executor }) => (action === 'end' ? [executor] : []));
  };
  await waitUntil('the queue is cancelled', async () => (await executorsOf(bia)).length === 1);
  expect(await executorsOf(bia)).toEqual(['cancelQueueOnException']);
});

test('a share shows the end of an instance that it started also after retention has deleted the instance', async () => {
  const at = await registerProcess(world.store);
  const bia = uuid();
  const instanceID = await startBy(at, bia);
  await requestControl(world, at, instanceID, 'stop');
  await world.store.write('DELETE FROM instance WHERE instance_id = ?', [instanceID]);
  expect(await auditOf(at, bia)).toEqual(['end', 'stop', 'start'].map((action) => [instanceID, action]));
});

test('starts of the owner and of webhooks, and their ends, run no statement for shares', async () => {
  const at = await registerProcess(world.store);
  const statements = await recordStatements(async () => {
    await requestControl(world, at, await startBy(at, at.ownerID), 'stop');
    await requestControl(world, at, await startBy(at, null, 'webhook'), 'stop');
  });
  expect(statements.filter(({ sql }) => sql.includes('INTO audit_event'))).not.toEqual([]);
  expect(statements.filter(({ sql }) => sql.includes('share_event'))).toEqual([]);
});

describe('rows that the previous release lacks', () => {
  /** An instance that `starter` started and the owner stopped, as the previous release records it. */
  async function recordedByPreviousRelease(at: TestProcess, starter: string): Promise<string> {
    const instanceID = await startBy(at, starter);
    await requestControl(world, at, instanceID, 'stop');
    await world.store.write('DELETE FROM share_event WHERE process_id = ?', [at.processID]);
    return instanceID;
  }
  const makeOlder = () => world.store.write('UPDATE audit_event SET created_at = created_at - INTERVAL 1 HOUR');
  const cursor = async () =>
    (await world.store.row<{ event_id: number }>('SELECT event_id FROM share_event_cursor'))?.event_id;

  test('a sweep adds the events of the previous release to the trail of a share, also when two replicas sweep at once', async () => {
    const at = await registerProcess(world.store);
    const bia = uuid();
    const instanceID = await recordedByPreviousRelease(at, bia);
    await startBy(at, at.ownerID);
    await makeOlder();
    expect(await auditOf(at, bia)).toEqual([]);
    await Promise.all([addMissedShareEvents(world.store), addMissedShareEvents(world.store)]);
    expect(await auditOf(at, bia)).toEqual(['end', 'stop', 'start'].map((action) => [instanceID, action]));
    expect(await countOf(world.store, 'share_event', 'process_id = ?', [at.processID])).toBe(3);
  });

  test('a sweep stops before young events, because an event with a smaller number may follow', async () => {
    const at = await registerProcess(world.store);
    const bia = uuid();
    const before = await cursor();
    await recordedByPreviousRelease(at, bia);
    await addMissedShareEvents(world.store);
    expect([await cursor(), await auditOf(at, bia)]).toEqual([before, []]);
    await makeOlder();
    await addMissedShareEvents(world.store);
    expect(await auditOf(at, bia)).toHaveLength(3);
  });

  test('an interrupted sweep continues where it stopped', async () => {
    const at = await registerProcess(world.store);
    const bia = uuid();
    await recordedByPreviousRelease(at, bia);
    await fillEvents(at, 200);
    await recordedByPreviousRelease(at, bia);
    await makeOlder();
    let bites = 0;
    await addMissedShareEvents(world.store, () => (bites += 1) > 1);
    expect(await auditOf(at, bia)).toHaveLength(3);
    await addMissedShareEvents(world.store);
    expect(await auditOf(at, bia)).toHaveLength(6);
  });

  test('a page of a share skips rows whose events the previous release deleted', async () => {
    const at = await registerProcess(world.store);
    const bia = uuid();
    const instanceID = await startBy(at, bia);
    await requestControl(world, at, instanceID, 'stop');
    await world.store.write("DELETE FROM audit_event WHERE process_id = ? AND action = 'start'", [at.processID]);
    expect(await auditOf(at, bia)).toEqual(['end', 'stop'].map((action) => [instanceID, action]));
  });
});

test('a page of the audit trail of a share reads as many rows with ten thousand events of others as without', async () => {
  const at = await registerProcess(world.store);
  const bia = uuid();
  for (let started = 0; started < 5; started += 1) await requestControl(world, at, await startBy(at, bia), 'stop');
  const read = async () => newestEventIDs(counted, at.processID, { limit: 10, startedBy: bia });
  await world.store.rows('ANALYZE TABLE audit_event, share_event');
  const before = await countReads(read);
  await fillEvents(at, 10_000);
  expect(await countReads(read)).toBe(before);
  const { ids, more } = await read();
  expect([ids.length, more]).toEqual([10, true]);
});

test('the rows of an event for shares are written without a read of older events', async () => {
  const at = await registerProcess(world.store);
  const instanceID = await startBy(at, uuid());
  await fillEvents(at, 10_000);
  const row = { instance_id: instanceID, owner_account_id: at.ownerID, starter_account_id: uuid() };
  const reads = await countReads(() =>
    counted.transaction(async (tx) => {
      tx.atCommit(
        `INSERT INTO audit_event (process_id, instance_id, action, executor, detail, created_at)
           VALUES (?, ?, 'end', 'x', '{}', UTC_TIMESTAMP(3))`,
        [at.processID, instanceID],
      );
      writeShareEvents(tx, [row]);
    }),
  );
  expect(await countOf(world.store, 'share_event', 'process_id = ?', [at.processID])).toBe(2);
  expect(reads).toBeLessThan(20);
});
