import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { AdaptiveConcurrency } from './adaptive-concurrency';

const SAMPLE_INTERVAL_MS = 20;
const ON_TIME_MS = 0;
const LATE_MS = 10;
/** The delay of timers before the limit begins. Under the limit it is LATE_MS, which is short enough for the limit to count as helpful. */
const VERY_LATE_MS = 100;
const LARGE_DEMAND = 64;
const BUSY_CALLS = 200;

let time = 0;
let concurrency: AdaptiveConcurrency;
beforeEach(() => {
  jest.useFakeTimers();
  concurrency = new AdaptiveConcurrency(LARGE_DEMAND, () => time);
});
afterEach(() => jest.useRealTimers());

/** Advances the clock by `milliseconds`; meanwhile each timer of the event loop is late by `lateness`. */
async function pass(milliseconds: number, lateness = ON_TIME_MS): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += SAMPLE_INTERVAL_MS) {
    time += SAMPLE_INTERVAL_MS + lateness;
    await jest.advanceTimersByTimeAsync(SAMPLE_INTERVAL_MS);
  }
}

const calls: { tenant: string; response: ServerResponse; state: string }[] = [];
beforeEach(() => void calls.splice(0));

/** A call that asks to go on; its `state` is `running`, `waiting` or the code of the refusal. */
function call(tenant: string) {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const own = { tenant, response, state: 'running' };
  calls.push(own);
  const turn = concurrency.enter(tenant, response);
  if (turn) {
    own.state = 'waiting';
    turn.then(
      () => (own.state = 'running'),
      (error: unknown) => (own.state = error instanceof Error && 'code' in error ? String(error.code) : 'failed'),
    );
  }
  return own;
}

const callTimes = (count: number, tenant: string) => Array.from({ length: count }, () => call(tenant));
const stateCount = (tenant: string, state: string) =>
  calls.filter((one) => one.tenant === tenant && one.state === state).length;
const end = (response: ServerResponse) => void response.emit('close');

/** From now on the tenant `quiet` makes a short call every 100 ms. */
function keepQuietTenantCalling(): void {
  end(call('quiet').response);
  setInterval(() => end(call('quiet').response), 100);
}

/** Makes 200 calls of the tenant `busy` beside the calls of `quiet`, so that `busy` is limited and most of its calls wait. */
async function startBusyTenant(): Promise<void> {
  keepQuietTenantCalling();
  await pass(200, VERY_LATE_MS);
  callTimes(BUSY_CALLS, 'busy');
  await pass(200, VERY_LATE_MS);
}

/** Ends the running calls of the tenant. Returns how many there were. */
function endRunning(tenant: string): number {
  const running = calls.filter((one) => one.tenant === tenant && one.state === 'running');
  for (const one of running) {
    end(one.response);
    one.state = 'ended';
  }
  return running.length;
}

test('a tenant that calls alone has any number of calls in progress', () => {
  callTimes(500, 'alone');
  expect(stateCount('alone', 'running')).toBe(500);
});

test('of a burst of calls only a few go on at once while another tenant calls', () => {
  end(call('quiet').response);
  callTimes(100, 'busy');
  expect(stateCount('busy', 'running')).toBe(4);
  expect(concurrency.waiting).toBe(96);
});

test('calls that come at a steady rate go on at once when their answers take longer than before', async () => {
  keepQuietTenantCalling();
  for (let count = 0; count < 100; count += 1) {
    end(call('steady').response);
    await pass(SAMPLE_INTERVAL_MS);
  }
  for (let count = 0; count < 50; count += 1) {
    call('steady');
    await pass(SAMPLE_INTERVAL_MS);
  }
  expect(stateCount('steady', 'waiting')).toBe(0);
});

test('calls that a tenant did not make for a while do not make a large burst', async () => {
  keepQuietTenantCalling();
  for (let count = 0; count < 100; count += 1) {
    callTimes(5, 'steady').forEach(({ response }) => end(response));
    calls.splice(0);
    await pass(SAMPLE_INTERVAL_MS);
  }
  await pass(1_000);
  callTimes(BUSY_CALLS, 'steady');
  expect(stateCount('steady', 'running')).toBe(LARGE_DEMAND);
});

test('calls of a tenant with few of them go on at once beside a tenant whose calls wait', async () => {
  await startBusyTenant();
  callTimes(4, 'quiet');
  expect(stateCount('quiet', 'waiting')).toBe(0);
  expect(stateCount('busy', 'waiting')).toBeGreaterThan(100);
});

test('while timers are late, a tenant with many calls has one in progress at a time, and the next one waits for a rest after it', async () => {
  await startBusyTenant();
  endRunning('busy');
  await pass(1_100, LATE_MS);
  expect(stateCount('busy', 'running')).toBe(1);
  await pass(300, LATE_MS);
  endRunning('busy');
  await pass(500, LATE_MS);
  expect(stateCount('busy', 'running')).toBe(0);
  await pass(600, LATE_MS);
  expect(stateCount('busy', 'running')).toBe(1);
});

test('the calls of a tenant that wait go on in the order of their arrival', async () => {
  await startBusyTenant();
  const busy = calls.filter(({ tenant }) => tenant === 'busy');
  for (let round = 0; round < 4; round += 1) {
    endRunning('busy');
    await pass(1_100, LATE_MS);
  }
  const ran = busy.filter(({ state }) => state === 'running' || state === 'ended');
  expect(ran).toEqual(busy.slice(0, ran.length));
  expect(stateCount('busy', 'waiting')).toBeGreaterThan(100);
});

test('a new call does not overtake calls of its tenant that wait', async () => {
  end(call('quiet').response);
  const burst = callTimes(10, 'busy');
  await pass(SAMPLE_INTERVAL_MS);
  const late = call('busy');
  await pass(0);
  expect(burst.filter(({ state }) => state === 'running').length).toBeGreaterThan(4);
  expect(late.state).toBe('waiting');
});

test('while timers are on time, the limit of a tenant with many calls grows until none of them waits', async () => {
  await startBusyTenant();
  for (let round = 0; round < 80; round += 1) {
    endRunning('busy');
    await pass(100);
  }
  expect(stateCount('busy', 'waiting')).toBe(0);
  expect(stateCount('busy', 'RATE_LIMITED')).toBe(0);
});

test('a limit under which timers are as late as before is relaxed, so that no call is refused because of other programs', async () => {
  keepQuietTenantCalling();
  await pass(1_000, LATE_MS);
  callTimes(BUSY_CALLS, 'busy');
  for (let round = 0; round < 50; round += 1) {
    endRunning('busy');
    await pass(100, LATE_MS);
  }
  expect(stateCount('busy', 'waiting')).toBe(0);
  expect(stateCount('busy', 'RATE_LIMITED')).toBe(0);
});

test('a pause of the whole machine does not hide that other programs make timers late', async () => {
  keepQuietTenantCalling();
  await pass(1_000, LATE_MS);
  callTimes(BUSY_CALLS, 'busy');
  await pass(600, LATE_MS);
  time += 3_000;
  for (let round = 0; round < 120; round += 1) {
    callTimes(endRunning('busy'), 'busy');
    await pass(100, LATE_MS);
  }
  expect(stateCount('busy', 'RATE_LIMITED')).toBe(0);
});

test('a call that gets no turn within ten seconds is refused, with a time to wait', async () => {
  await startBusyTenant();
  await pass(11_000, LATE_MS);
  const refused = calls.filter(({ state }) => state === 'RATE_LIMITED');
  expect(refused.length).toBeGreaterThan(100);
  expect(refused[0]?.response.getHeader('Retry-After')).toBe('1');
  expect(concurrency.waiting).toBe(0);
});

test('of a burst of calls that take long, each begins within ten seconds', async () => {
  keepQuietTenantCalling();
  callTimes(60, 'burst');
  await pass(10_000);
  expect(stateCount('burst', 'running')).toBe(60);
});

test('a call whose client disconnects while it waits does not go on', async () => {
  await startBusyTenant();
  const [gone] = calls.filter(({ tenant, state }) => tenant === 'busy' && state === 'waiting');
  const before = concurrency.waiting;
  gone?.response.emit('close');
  await pass(SAMPLE_INTERVAL_MS);
  expect(gone?.state).toBe('RATE_LIMITED');
  expect(concurrency.waiting).toBeLessThan(before);
});

test('a call whose client has disconnected before the call enters takes no place', () => {
  end(call('quiet').response);
  const gone = Array.from({ length: 4 }, () => new ServerResponse(new IncomingMessage(new Socket())).destroy());
  for (const response of gone) expect(concurrency.enter('busy', response)).toBeUndefined();
  callTimes(4, 'busy');
  expect(stateCount('busy', 'waiting')).toBe(0);
});

test('tenants with as many calls as each other are not limited, although timers are late', async () => {
  const tenants = ['a', 'b', 'c'];
  for (const tenant of tenants) callTimes(100, tenant);
  for (let round = 0; round < 120; round += 1) {
    for (const tenant of tenants) callTimes(endRunning(tenant), tenant);
    await pass(100, LATE_MS);
  }
  for (const tenant of tenants) expect(stateCount(tenant, 'waiting')).toBe(0);
});

test('a tenant with fifty calls at a time is not limited beside one that calls now and then, although timers are late', async () => {
  keepQuietTenantCalling();
  callTimes(50, 'busy');
  for (let round = 0; round < 120; round += 1) {
    callTimes(endRunning('busy'), 'busy');
    await pass(100, LATE_MS);
  }
  expect(stateCount('busy', 'waiting')).toBe(0);
});

test('a tenant of whose many calls most have ended stays limited for ten seconds', async () => {
  await startBusyTenant();
  endRunning('busy');
  const gone = calls.filter(({ tenant, state }) => tenant === 'busy' && state === 'waiting').slice(40);
  for (const { response } of gone) end(response);
  await pass(3_000, LATE_MS);
  endRunning('busy');
  await pass(100, LATE_MS);
  expect(stateCount('busy', 'running')).toBeLessThanOrEqual(1);
  expect(stateCount('busy', 'waiting')).toBeGreaterThan(20);
  await pass(6_000, LATE_MS);
  endRunning('busy');
  callTimes(4, 'busy');
  expect(stateCount('busy', 'running')).toBe(4);
});

test('a limited tenant that stops calling for seconds is limited still when it calls again', async () => {
  await startBusyTenant();
  for (const { response } of calls.splice(0)) end(response);
  await pass(4_000, LATE_MS);
  callTimes(10, 'busy');
  await pass(100, LATE_MS);
  expect(stateCount('busy', 'running')).toBe(1);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['whose response has begun', (response) => response.flushHeaders()],
  ['that waits for something else', (response) => concurrency.leave(response)],
])('a call %s leaves its place to the next one', async (_, act) => {
  end(call('quiet').response);
  const [first] = callTimes(5, 'busy');
  expect(stateCount('busy', 'waiting')).toBe(1);
  if (first) act(first.response);
  await pass(SAMPLE_INTERVAL_MS);
  expect(stateCount('busy', 'waiting')).toBe(0);
});

test('a tenant that has ended its calls is forgotten, and so is the timer', async () => {
  for (const tenant of ['a', 'b']) end(call(tenant).response);
  await pass(2_500);
  expect(jest.getTimerCount()).toBe(0);
  callTimes(50, 'c');
  expect(stateCount('c', 'running')).toBe(50);
});
