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

/** A replica of the gateway as the webhook service sees it. */
class Holder {
  readonly id = uuid();
  private turn = 0;

  async wait(processID: string, want = 1): Promise<number> {
    const { granted } = await world.rpc.call(webhook.wait, { ...this.next(), processID, want });
    return granted;
  }

  /** Returns the processes whose places it has lost. */
  async keep(places: Record<string, number>): Promise<string[]> {
    const named = Object.entries(places).map(([processID, count]) => ({ processID, count }));
    return (await world.rpc.call(webhook.keep, { ...this.next(), places: named })).gone;
  }

  /** Something that it asked before, and that arrives only later. */
  next(): { holder: string; turn: number } {
    this.turn += 1;
    return { holder: this.id, turn: this.turn };
  }
}

async function waitedFor(): Promise<string> {
  const { processID } = await register(world.store);
  await addOrigin(world.store, processID);
  return processID;
}

async function held(processID: string): Promise<Record<string, number>> {
  const rows = await world.store.rows<{ holder: string; places: number }>(
    'SELECT holder, places FROM waiting_call WHERE process_id = ?',
    [processID],
  );
  return Object.fromEntries(rows.map(({ holder, places }) => [holder, places]));
}

/** As if so many seconds had passed for this holder, or for all. */
async function later(processID: string, seconds: number, { id }: { id?: string } = {}): Promise<void> {
  const sql =
    'UPDATE waiting_call SET lease_until = lease_until - INTERVAL ? SECOND WHERE process_id = ? AND holder = COALESCE(?, holder)';
  await world.store.write(sql, [seconds, processID, id ?? null]);
}

async function leaseOf(processID: string, { id }: Holder): Promise<number> {
  const sql = 'SELECT lease_until AS lease FROM waiting_call WHERE process_id = ? AND holder = ?';
  return Number((await world.store.row<{ lease: Date }>(sql, [processID, id]))?.lease);
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

test('so many places of a process are held and no more, whatever two replicas are asked at once', async () => {
  const processID = await waitedFor();
  const holders = Array.from({ length: 4 }, () => new Holder());
  const granted = await Promise.all(
    holders.map(async (holder) => sum([await holder.wait(processID), await holder.wait(processID, 2)])),
  );
  expect(sum(granted)).toBe(PLACES);
  const rows = holders.map(({ id }, index) => [id, granted[index] ?? 0] as const).filter(([, places]) => places > 0);
  expect(await held(processID)).toEqual(Object.fromEntries(rows));
  expect(await new Holder().wait(processID)).toBe(0);
});

test('while holders take, give back and renew, what all of them hold never passes the places', async () => {
  const processID = await waitedFor();
  let all = 0;
  const use = async (holder: Holder) => {
    let own = 0;
    for (let round = 0; round < 15; round += 1) {
      // Sometimes more than all there are: without a bound even a lone holder would pass it.
      const granted = await holder.wait(processID, 1 + (round % 3) * PLACES);
      own += granted;
      all += granted;
      expect(all).toBeLessThanOrEqual(PLACES);
      const left = round % 2;
      // Theirs no more from here on: the next holder may be told of them before this one is.
      all -= Math.max(0, own - left);
      own = Math.min(own, left);
      expect(await holder.keep({ [processID]: own })).toEqual([]);
    }
    all -= own;
    await holder.keep({ [processID]: 0 });
  };
  await Promise.all([new Holder(), new Holder(), new Holder()].map(use));
  expect(await held(processID)).toEqual({});
  expect(await new Holder().wait(processID, 2 * PLACES)).toBe(PLACES);
});

test('the places are the process’s, and no other process’s', async () => {
  const [one, other] = [await waitedFor(), await waitedFor()];
  const holder = new Holder();
  expect([await holder.wait(one, 9), await holder.wait(other, 4)]).toEqual([PLACES, 4]);
});

test('what is not kept is free at once; one request tells of many processes', async () => {
  const [one, other, third] = [await waitedFor(), await waitedFor(), await waitedFor()];
  const [holder, next] = [new Holder(), new Holder()];
  for (const processID of [one, other, third]) await holder.wait(processID, PLACES);
  expect(await holder.keep({ [one]: 0, [other]: 3, [third]: PLACES })).toEqual([]);
  expect([await next.wait(one, 9), await next.wait(other, 9), await next.wait(third, 9)]).toEqual([PLACES, 2, 0]);
  expect(await holder.keep({})).toEqual([]);
});

test('a holder that is heard of keeps its places, one that is not loses them to others, and is told', async () => {
  const processID = await waitedFor();
  const [alive, dead] = [new Holder(), new Holder()];
  expect([await alive.wait(processID, 2), await dead.wait(processID, 3)]).toEqual([2, 3]);
  await later(processID, 1);
  const lease = await leaseOf(processID, alive);
  expect(await alive.keep({ [processID]: 2 })).toEqual([]);
  expect(await leaseOf(processID, alive)).toBeGreaterThanOrEqual(lease + 1_000);
  expect(await alive.wait(processID)).toBe(0);
  await later(processID, 11, dead);
  expect(await alive.wait(processID, 9)).toBe(3);
  expect(await dead.keep({ [processID]: 3 })).toEqual([processID]);
  expect(await held(processID)).toEqual({ [alive.id]: PLACES });
});

test('who holds fewer than it thinks keeps none of them', async () => {
  const [processID, holder] = [await waitedFor(), new Holder()];
  await holder.wait(processID, 2);
  expect(await holder.keep({ [processID]: 3 })).toEqual([processID]);
});

test('what is told late counts no more', async () => {
  const [processID, holder] = [await waitedFor(), new Holder()];
  await holder.wait(processID);
  const late = [holder.next(), holder.next(), holder.next()] as const;
  expect(await holder.wait(processID)).toBe(1);
  await world.rpc.call(webhook.keep, { ...late[0], places: [{ processID, count: 0 }] });
  await world.rpc.call(webhook.keep, { ...late[1], places: [{ processID, count: 1 }] });
  expect(await world.rpc.call(webhook.wait, { ...late[2], processID, want: 1 })).toEqual({ granted: 0 });
  expect(await held(processID)).toEqual({ [holder.id]: 2 });
});

test('rows of holders that are gone are removed', async () => {
  const processID = await waitedFor();
  await new Holder().wait(processID, 2);
  await later(processID, 11);
  const gone = async () => Object.keys(await held(processID)).length === 0;
  expect(await waitUntil('nothing is left', gone)).toBe(true);
});

test('a process without origins has no places; those of a removed one are kept and given back like others', async () => {
  const { processID } = await register(world.store);
  const originID = await addOrigin(world.store, processID);
  const holder = new Holder();
  await holder.wait(processID, 2);
  await world.rpc.call(webhook.removeOrigin, { id: originID });
  expect(await holder.wait(processID)).toBe(0);
  expect(await holder.keep({ [processID]: 2 })).toEqual([]);
  expect(await holder.keep({ [processID]: 0 })).toEqual([]);
  expect(await held(processID)).toEqual({});
});

test('tells how many places are held', async () => {
  await new Holder().wait(await waitedFor(), 2);
  const text = await (await fetch(`${world.metricsURL}/metrics`)).text();
  expect(Number(/^batuta_hook_waiting\{.*\} (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(2);
});
