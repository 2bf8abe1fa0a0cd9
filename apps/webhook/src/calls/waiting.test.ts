import { webhook } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { addOrigin, register } from '../../test/registry';
import { startWorld, type World } from '../../test/world';

const PLACES = 5;

let world: World;
beforeAll(async () => {
  world = await startWorld({ replicas: 2, settings: { WAITING_CALLS: String(PLACES) } });
});
afterAll(() => world?.close());

interface Called {
  processID: string;
  originID: string;
}

async function origin(): Promise<Called> {
  const { processID } = await register(world.store);
  return { processID, originID: await addOrigin(world.store, processID) };
}

async function wait(called: Called, instanceID = uuid(), seconds = 30): Promise<string | undefined> {
  const { granted } = await world.rpc.call(webhook.wait, { ...called, instanceID, seconds });
  return granted ? instanceID : undefined;
}
const release = (...instanceIDs: string[]) => world.rpc.call(webhook.release, { instanceIDs });
const waits = (called: Called, calls: number) => Promise.all(Array.from({ length: calls }, () => wait(called)));
const granted = (results: (string | undefined)[]) => results.filter((result) => result !== undefined);

async function held({ processID }: Called): Promise<string[]> {
  const rows = await world.store.rows<{ instance_id: string }>(
    'SELECT instance_id FROM waiting_call WHERE process_id = ? ORDER BY instance_id',
    [processID],
  );
  return rows.map(({ instance_id }) => instance_id);
}

/** As if so many seconds had passed. */
async function later(called: Called, seconds: number): Promise<void> {
  const sql = 'UPDATE waiting_call SET lease_until = lease_until - INTERVAL ? SECOND WHERE process_id = ?';
  await world.store.write(sql, [seconds, called.processID]);
}

test('so many calls of a process wait and no more, whatever two replicas are asked at once', async () => {
  const called = await origin();
  const results = await waits(called, 40);
  expect(granted(results)).toHaveLength(PLACES);
  expect(await held(called)).toEqual(granted(results).toSorted());
  expect(await wait(called)).toBeUndefined();
});

test('the places are the process’s, shared by its origins, and no other process’s', async () => {
  const [called, other] = [await origin(), await origin()];
  const second = { ...called, originID: await addOrigin(world.store, called.processID) };
  const [first, more, apart] = await Promise.all([waits(called, 4), waits(second, 4), waits(other, 4)]);
  expect(granted([...first, ...more])).toHaveLength(PLACES);
  expect(granted(apart)).toHaveLength(4);
});

test('a call that is asked for twice has one place, and keeps it when all are taken', async () => {
  const [called, instanceID] = [await origin(), uuid()];
  await Promise.all([wait(called, instanceID), wait(called, instanceID), wait(called, instanceID)]);
  expect(granted(await waits(called, 10))).toHaveLength(PLACES - 1);
  expect(await wait(called, instanceID)).toBe(instanceID);
  expect(await held(called)).toHaveLength(PLACES);
});

test('a place that is given back is free at once; one that nobody holds is no matter', async () => {
  const called = await origin();
  const [first = '', second = ''] = granted(await waits(called, PLACES));
  expect(await release(first, second, uuid())).toEqual({ released: 2 });
  expect(await release(first)).toEqual({ released: 0 });
  expect(await release()).toEqual({ released: 0 });
  expect(granted(await waits(called, PLACES))).toHaveLength(2);
});

test('a place that was never given back is free after the wait, and its row is removed', async () => {
  const called = await origin();
  const lost = granted(await waits(called, PLACES));
  await later(called, 29.5);
  expect(await wait(called)).toBeUndefined();
  await later(called, 5);
  expect(granted(await waits(called, PLACES + 1))).toHaveLength(PLACES);
  await waitUntil('the removal of what ran out', async () => {
    const left = await held(called);
    return !left.some((instanceID) => lost.includes(instanceID));
  });
  expect(await held(called)).toHaveLength(PLACES);
});

test('an origin that was removed meanwhile gets no place and leaves none', async () => {
  const called = await origin();
  await waits(called, 2);
  await world.rpc.call(webhook.removeOrigin, { id: called.originID });
  expect(await wait(called)).toBeUndefined();
  expect(await held(called)).toEqual([]);
});

test('tells how many wait', async () => {
  const called = await origin();
  await waits(called, 2);
  const text = await (await fetch(`${world.metricsURL}/metrics`)).text();
  expect(Number(/^batuta_hook_waiting\{.*\} (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(2);
});
