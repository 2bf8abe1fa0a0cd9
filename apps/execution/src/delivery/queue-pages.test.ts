import { Abilities } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { createProcessWithAgent, idsOf, start } from '../../test/claims';
import { requestControl } from '../../test/instances';
import { countOf, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { MixedQueues } from '../abilities/mixed-queues';
import { cancelBite } from '../queue-cancellation/queue-cancellation.repository';
import { QueuePages } from './queue-pages';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const agentAbilities = (...names: string[]) => Abilities.announced(names);

/** A queue of many instances that need a browser, followed by one that needs a script. */
async function createLongQueue(length: number) {
  const at = await createProcessWithAgent(world, { needs: 'script' });
  const last = startRequest(at);
  await start(world, last);
  await world.store.write(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, needs)
     SELECT UUID(), process_id, 'P', owner_account_id, company_id, environment_id, version_id, 1, 'api', 'erp', 'key', '',
       'queued', 'started', accepted_at - INTERVAL 1 DAY, 'browser' FROM instance, seq_1_to_${length} WHERE instance_id = ?`,
    [last.instanceID],
  );
  return { at, last };
}

/** The number of rows and index entries that `work` reads. */
async function rowsRead(work: (tx: Store) => Promise<unknown>): Promise<number> {
  return world.store.transaction(async (tx) => {
    const read = async () => {
      const rows = await tx.rows<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
      return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
    };
    const before = await read();
    await work(tx);
    return (await read()) - before;
  });
}

test('a page for an agent reads almost none of the many queued instances that only other agents can run', async () => {
  const { at, last } = await createLongQueue(2_000);
  const pages = new QueuePages(new MixedQueues());
  const found: string[] = [];
  const readOnce = (tx: Store) =>
    pages.read(tx, at.environmentID, agentAbilities('script'), 5, undefined).then((page) => {
      found.push(...page.rows.map((row) => row.instance_id));
      return page;
    });
  const page = await world.store.transaction(readOnce);
  expect(page).toMatchObject({ rows: [], atEnd: false, lockedMore: 'unfit' });
  expect(await rowsRead(readOnce)).toBeLessThan(50);
  expect(found).toEqual(idsOf([last]));
});

test('consecutive pages of a mixed queue are ordered oldest first, and the last page reports the end', async () => {
  const { at, last } = await createLongQueue(7);
  const mixed = new MixedQueues();
  mixed.addNeeds(at.environmentID, 'rest');
  const pages = new QueuePages(mixed);
  const all = await world.store.transaction(async (tx) => {
    const sizes: [number, boolean][] = [];
    let after;
    for (let atEnd = false; !atEnd;) {
      const page = await pages.read(tx, at.environmentID, agentAbilities('script', 'browser'), 3, after);
      sizes.push([page.rows.length, page.atEnd]);
      ({ last: after, atEnd } = page);
    }
    return { sizes, after };
  });
  expect(all.sizes).toEqual([
    [3, false],
    [3, false],
    [2, true],
  ]);
  expect(all.after?.instance_id).toBe(last.instanceID);
});

test('two claims of one mixed queue never get the same row', async () => {
  const { at } = await createLongQueue(6);
  const mixed = new MixedQueues();
  mixed.addNeeds(at.environmentID, 'rest');
  const pages = new QueuePages(mixed);
  const read = (tx: Store) => pages.read(tx, at.environmentID, agentAbilities('browser'), 4, undefined);
  const ids = await world.store.transaction(async (one) => {
    const first = await read(one);
    const second = await world.store.transaction(read);
    return [...first.rows, ...second.rows].map((row) => row.instance_id);
  });
  expect(new Set(ids).size).toBe(ids.length);
});

test('instances that end in the queue are not read by later claims', async () => {
  const { at, last } = await createLongQueue(1);
  await requestControl(world, at, last.instanceID, 'stop');
  await world.store.transaction((tx) => cancelQueue(tx, at.environmentID));
  const left = 'environment_id = ? AND claimed_at IS NULL';
  expect(await countOf(world.store, 'instance', left, [at.environmentID])).toBe(0);
});

/** Ends everything in the queue as `cancelQueueOnException` does. */
async function cancelQueue(tx: Store, environmentID: string): Promise<void> {
  await tx.write('INSERT INTO queue_cancellation VALUES (?, UTC_TIMESTAMP(3))', [environmentID]);
  await cancelBite(tx, environmentID, 100);
}
