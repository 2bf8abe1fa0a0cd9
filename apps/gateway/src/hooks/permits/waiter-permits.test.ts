import { WaiterPermits, type Permit } from './waiter-permits';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const advanceTime = (milliseconds: number) => jest.advanceTimersByTime(milliseconds);

/** Makes `count` calls, each of which acquires a permit. */
function acquireFor(permits: WaiterPermits, count: number) {
  const got: (Permit | 'refused' | undefined)[] = Array.from({ length: count }, () => undefined);
  const call = async (index: number) => {
    got[index] = (await permits.acquire()) ?? 'refused';
  };
  for (const index of got.keys()) void call(index);
  return {
    results: async () => {
      await awaitReplies();
      return got.map((one) => (typeof one === 'object' ? 'permit' : one));
    },
    release: async (...indexes: number[]) => {
      await awaitReplies();
      for (const index of indexes) {
        const permit = got[index];
        if (typeof permit === 'object') permit.release();
      }
    },
  };
}

async function awaitReplies(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

/** Creates a process's permits; this many are granted and free. */
async function createFreePermits(count: number): Promise<WaiterPermits> {
  const permits = new WaiterPermits('p');
  const first = acquireFor(permits, count);
  permits.addPermits(permits.beginRequest(), performance.now());
  await first.release(...Array.from({ length: count }, (_, index) => index));
  permits.sweep();
  return permits;
}

test('calls get the leased permits in the order of their arrival, and the others are refused', async () => {
  const permits = new WaiterPermits('p');
  const three = acquireFor(permits, 3);
  expect([permits.beginRequest(), await three.results()]).toEqual([3, [undefined, undefined, undefined]]);
  permits.addPermits(2, performance.now());
  expect(await three.results()).toEqual(['permit', 'permit', 'refused']);
  expect([permits.held, permits.hasQueue]).toEqual([2, false]);
});

test('a released permit serves the next call without a request', async () => {
  const permits = await createFreePermits(1);
  const one = acquireFor(permits, 1);
  expect(await one.results()).toEqual(['permit']);
  const next = acquireFor(permits, 1);
  expect([await next.results(), permits.hasQueue]).toEqual([[undefined], true]);
  await one.release(0);
  expect([await next.results(), permits.hasQueue, permits.held]).toEqual([['permit'], false, 1]);
});

test('a permit released during a request serves a call that the request would refuse', async () => {
  const permits = await createFreePermits(1);
  const one = acquireFor(permits, 1);
  const two = acquireFor(permits, 2);
  expect(permits.beginRequest()).toBe(2);
  await one.release(0);
  const late = acquireFor(permits, 1);
  permits.addPermits(0, performance.now());
  expect([await two.results(), await late.results()]).toEqual([['permit', 'refused'], [undefined]]);
  expect(permits.beginRequest()).toBe(1);
});

test('a leased permit that its call no longer needs serves a later call', async () => {
  const permits = await createFreePermits(1);
  const one = acquireFor(permits, 1);
  const two = acquireFor(permits, 1);
  permits.beginRequest();
  await one.release(0);
  const late = acquireFor(permits, 1);
  permits.addPermits(1, performance.now());
  expect([await two.results(), await late.results(), permits.hasQueue, permits.held]).toEqual([
    ['permit'],
    ['permit'],
    false,
    2,
  ]);
});

test('only permits that stayed free between two sweeps are returned', async () => {
  const permits = await createFreePermits(3);
  const two = acquireFor(permits, 2);
  await two.release(0, 1);
  expect([permits.sweep(), permits.held]).toEqual([true, 2]);
  const again = acquireFor(permits, 2);
  expect([permits.sweep(), permits.held]).toEqual([false, 2]);
  await again.release(0, 1);
  expect([permits.sweep(), permits.held]).toEqual([false, 2]);
  expect([permits.sweep(), permits.held, permits.isUnused]).toEqual([true, 0, true]);
});

test('the lease of permits in use is renewed well before it expires', async () => {
  const permits = await createFreePermits(1);
  acquireFor(permits, 1);
  permits.sweep();
  advanceTime(2_900);
  expect(permits.sweep()).toBe(false);
  advanceTime(200);
  expect([permits.sweep(), permits.held]).toEqual([true, 1]);
  permits.recordRenewal(performance.now());
  expect(permits.sweep()).toBe(false);
  advanceTime(9_900);
  const next = acquireFor(permits, 1);
  expect(permits.beginRequest()).toBe(1);
  permits.addPermits(0, performance.now());
  expect([await next.results(), permits.held]).toEqual([['refused'], 1]);
});

test.each<[string, (permits: WaiterPermits) => void]>([
  ['whose lease has expired', () => advanceTime(10_001)],
  ['that the service reports as lost', (permits) => permits.lose()],
])('permits %s are no longer passed on or counted as held', async (_, end) => {
  const permits = await createFreePermits(2);
  const one = acquireFor(permits, 1);
  await one.results();
  end(permits);
  const next = acquireFor(permits, 1);
  await one.release(0);
  expect([await next.results(), permits.beginRequest(), permits.held]).toEqual([[undefined], 1, 0]);
  permits.addPermits(1, performance.now());
  expect([await next.results(), permits.held]).toEqual([['permit'], 1]);
});

test('a request without a reply refuses all calls, and renewals are sent until one is confirmed', async () => {
  const permits = new WaiterPermits('p');
  const two = acquireFor(permits, 1);
  permits.beginRequest();
  const late = acquireFor(permits, 1);
  permits.recordFailedRequest();
  expect([await two.results(), await late.results(), permits.isUnused]).toEqual([['refused'], ['refused'], false]);
  expect(permits.sweep()).toBe(true);
  permits.recordFailedRenewal();
  expect([permits.sweep(), permits.held]).toEqual([true, 0]);
  permits.recordRenewal(performance.now());
  expect([permits.sweep(), permits.isUnused]).toEqual([false, true]);
});
