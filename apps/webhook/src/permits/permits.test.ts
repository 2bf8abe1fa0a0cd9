import { webhook } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { addOrigin, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';
import { PERMIT_LEASE } from './permit.service';

const PERMIT_LIMIT = 5;

let world: WebhookWorld;
let lease: jest.ReplaceProperty<number>;
beforeAll(async () => {
  // No lease ends by itself during a test, however slow the machine is.
  lease = jest.replaceProperty(PERMIT_LEASE, 'seconds', 3_600);
  world = await startWorld({ replicas: 2, settings: { WAITING_CALLS: String(PERMIT_LIMIT) } });
});
afterAll(async () => {
  await world?.close();
  lease.restore();
});

/** A replica of the gateway as the webhook service sees it. */
class TestHolder {
  readonly id = uuid();
  private turn = 0;

  async acquire(processID: string, want = 1): Promise<number> {
    const reply = await world.rpc.call(webhook.acquirePermits, { ...this.nextTurn(), processID, want });
    return reply.granted;
  }

  /** Returns the processes whose lease was lost. */
  async renew(counts: Record<string, number>): Promise<string[]> {
    const places = Object.entries(counts).map(([processID, count]) => ({ processID, count }));
    return (await world.rpc.call(webhook.renewPermits, { ...this.nextTurn(), places })).gone;
  }

  /** Takes the next request number (`turn`) of this holder, which a test may use after later numbers. */
  nextTurn(): { holder: string; turn: number } {
    this.turn += 1;
    return { holder: this.id, turn: this.turn };
  }
}

async function processWithOrigin(): Promise<string> {
  const { processID } = await registerProcess(world.store);
  await addOrigin(world.store, processID);
  return processID;
}

async function heldPermits(processID: string): Promise<Record<string, number>> {
  const rows = await world.store.rows<{ holder: string; places: number }>(
    'SELECT holder, places FROM waiting_call WHERE process_id = ?',
    [processID],
  );
  return Object.fromEntries(rows.map(({ holder, places }) => [holder, places]));
}

/** Ages the leases of this holder, or of all holders, by this number of seconds. */
async function ageLeases(processID: string, seconds: number, { id }: { id?: string } = {}): Promise<void> {
  const sql =
    'UPDATE waiting_call SET lease_until = lease_until - INTERVAL ? SECOND WHERE process_id = ? AND holder = COALESCE(?, holder)';
  await world.store.write(sql, [seconds, processID, id ?? null]);
}

async function leaseOf(processID: string, { id }: TestHolder): Promise<number> {
  const sql = 'SELECT lease_until AS lease FROM waiting_call WHERE process_id = ? AND holder = ?';
  return Number((await world.store.row<{ lease: Date }>(sql, [processID, id]))?.lease);
}

const sumOf = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

test('two replicas together lease no more permits of a process than its limit', async () => {
  const processID = await processWithOrigin();
  const holders = Array.from({ length: 4 }, () => new TestHolder());
  const leased = await Promise.all(
    holders.map(async (holder) => sumOf([await holder.acquire(processID), await holder.acquire(processID, 2)])),
  );
  expect(sumOf(leased)).toBe(PERMIT_LIMIT);
  const rows = holders.map(({ id }, index) => [id, leased[index] ?? 0] as const).filter(([, places]) => places > 0);
  expect(await heldPermits(processID)).toEqual(Object.fromEntries(rows));
  expect(await new TestHolder().acquire(processID)).toBe(0);
});

test('holders that acquire, return and renew at once never hold more than the limit together', async () => {
  const processID = await processWithOrigin();
  let all = 0;
  const use = async (holder: TestHolder) => {
    let own = 0;
    for (let round = 0; round < 15; round += 1) {
      // Some requests exceed the limit, so that even a single holder would pass it without the check.
      const leased = await holder.acquire(processID, 1 + (round % 3) * PERMIT_LIMIT);
      own += leased;
      all += leased;
      expect(all).toBeLessThanOrEqual(PERMIT_LIMIT);
      const left = round % 2;
      // The returned permits are subtracted before the reply arrives, because another holder may get them first.
      all -= Math.max(0, own - left);
      own = Math.min(own, left);
      expect(await holder.renew({ [processID]: own })).toEqual([]);
    }
    all -= own;
    await holder.renew({ [processID]: 0 });
  };
  await Promise.all([new TestHolder(), new TestHolder(), new TestHolder()].map(use));
  expect(await heldPermits(processID)).toEqual({});
  expect(await new TestHolder().acquire(processID, 2 * PERMIT_LIMIT)).toBe(PERMIT_LIMIT);
});

test('each process has its own permits', async () => {
  const [one, other] = [await processWithOrigin(), await processWithOrigin()];
  const holder = new TestHolder();
  expect([await holder.acquire(one, 9), await holder.acquire(other, 4)]).toEqual([PERMIT_LIMIT, 4]);
});

test('one renewal frees the permits that are not kept, of many processes', async () => {
  const [one, other, third] = [await processWithOrigin(), await processWithOrigin(), await processWithOrigin()];
  const [holder, next] = [new TestHolder(), new TestHolder()];
  for (const processID of [one, other, third]) await holder.acquire(processID, PERMIT_LIMIT);
  expect(await holder.renew({ [one]: 0, [other]: 3, [third]: PERMIT_LIMIT })).toEqual([]);
  expect([await next.acquire(one, 9), await next.acquire(other, 9), await next.acquire(third, 9)]).toEqual([
    PERMIT_LIMIT,
    2,
    0,
  ]);
  expect(await holder.renew({})).toEqual([]);
});

test('a holder that renews keeps its permits, and a holder that does not loses them and is told so by its next renewal', async () => {
  const processID = await processWithOrigin();
  const [alive, dead] = [new TestHolder(), new TestHolder()];
  expect([await alive.acquire(processID, 2), await dead.acquire(processID, 3)]).toEqual([2, 3]);
  await ageLeases(processID, 1);
  const aged = await leaseOf(processID, alive);
  expect(await alive.renew({ [processID]: 2 })).toEqual([]);
  expect(await leaseOf(processID, alive)).toBeGreaterThanOrEqual(aged + 1_000);
  expect(await alive.acquire(processID)).toBe(0);
  await ageLeases(processID, PERMIT_LEASE.seconds + 1, dead);
  expect(await alive.acquire(processID, 9)).toBe(3);
  expect(await dead.renew({ [processID]: 3 })).toEqual([processID]);
  expect(await heldPermits(processID)).toEqual({ [alive.id]: PERMIT_LIMIT });
});

test('a renewal of more permits than the holder has loses the lease', async () => {
  const [processID, holder] = [await processWithOrigin(), new TestHolder()];
  await holder.acquire(processID, 2);
  expect(await holder.renew({ [processID]: 3 })).toEqual([processID]);
});

test('a request that arrives after a later one of its holder has no effect', async () => {
  const [processID, holder] = [await processWithOrigin(), new TestHolder()];
  await holder.acquire(processID);
  const late = [holder.nextTurn(), holder.nextTurn(), holder.nextTurn()] as const;
  expect(await holder.acquire(processID)).toBe(1);
  await world.rpc.call(webhook.renewPermits, { ...late[0], places: [{ processID, count: 0 }] });
  await world.rpc.call(webhook.renewPermits, { ...late[1], places: [{ processID, count: 1 }] });
  expect(await world.rpc.call(webhook.acquirePermits, { ...late[2], processID, want: 1 })).toEqual({ granted: 0 });
  expect(await heldPermits(processID)).toEqual({ [holder.id]: 2 });
});

test('expired leases are removed', async () => {
  const processID = await processWithOrigin();
  await new TestHolder().acquire(processID, 2);
  await ageLeases(processID, PERMIT_LEASE.seconds + 1);
  const isRemoved = async () => Object.keys(await heldPermits(processID)).length === 0;
  expect(await waitUntil('the lease is removed', isRemoved)).toBe(true);
});

test('a process without origins gets no permits, and those acquired before its origin was removed are renewed and returned', async () => {
  const { processID } = await registerProcess(world.store);
  const originID = await addOrigin(world.store, processID);
  const holder = new TestHolder();
  await holder.acquire(processID, 2);
  await world.rpc.call(webhook.removeOrigin, { id: originID });
  expect(await holder.acquire(processID)).toBe(0);
  expect(await holder.renew({ [processID]: 2 })).toEqual([]);
  expect(await holder.renew({ [processID]: 0 })).toEqual([]);
  expect(await heldPermits(processID)).toEqual({});
});

test('the gauge batuta_hook_waiting has the number of held permits', async () => {
  await new TestHolder().acquire(await processWithOrigin(), 2);
  const text = await (await fetch(`${world.metricsURL}/metrics`)).text();
  expect(Number(/^batuta_hook_waiting\{.*\} (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(2);
});
