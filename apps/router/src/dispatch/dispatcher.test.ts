import { v7 as uuid } from 'uuid';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld, type TestEnvironment } from '../../test/world';
import type { RunningRouter } from '../app';

/** The first pause of a session whose agent rejects an offer. */
const FIRST_PAUSE_MS = 500;
const OFFER_MS = 47_000;
/** The most that the time limit of an offer grows. */
const MAX_EXTRA_MS = 7_500;
/** The speed for which the time limit of an offer grows with its size. */
const BYTES_PER_MS = 125;

let world: RouterWorld;
let router: RunningRouter;
let environment: TestEnvironment;

beforeAll(async () => {
  world = await RouterWorld.create();
  router = await world.startRouter();
});

beforeEach(async () => {
  environment = await world.addEnvironment();
});

afterAll(() => world?.close());

function queueInstance(instanceID: string, notify = true): void {
  world.fake.queue(environment.environmentID, instanceID, notify);
}

function queueLarge(instanceID: string, bytes: number): void {
  const vault = { KEY: 'é'.repeat(bytes / 2) };
  world.fake.queue(environment.environmentID, instanceID, true, { vault });
}

async function joinAgent(hello: { capacity?: number } = {}, { url } = router): Promise<TestAgent> {
  return (await TestAgent.join(url, environment.key, hello)).agent;
}

test('a queued instance is offered after a notification, and granted after its acceptance once the grant is committed', async () => {
  const agent = await joinAgent();
  queueInstance('notified');
  const offer = await agent.takeFrame('offer');
  expect(offer).toMatchObject({
    instanceID: 'notified',
    fence: 1,
    processName: 'Orders',
    requestID: 'request-notified',
  });
  expect(world.fake.get('notified').status).toBe('unknown');
  agent.send({ type: 'accept', instanceID: 'notified', fence: 1 });
  expect(await agent.takeFrame('grant')).toEqual({ type: 'grant', instanceID: 'notified', fence: 1, desired: 'run' });
  expect(world.fake.get('notified').status).toBe('running');
});

test('every call on behalf of an agent names the company of its environment', async () => {
  const companyID = uuid();
  environment = await world.addEnvironment(10, companyID);
  const agent = await joinAgent();
  queueInstance('of-company');
  await agent.takeFrame('offer');
  agent.send({ type: 'accept', instanceID: 'of-company', fence: 1 });
  await agent.takeFrame('grant');
  agent.send({ type: 'report', instanceID: 'of-company', fence: 1, seq: 1, lines: [] });
  await agent.takeFrame('ack');
  const ofCompany = world.fake.calls.filter(({ tenant }) => tenant === companyID).map(({ call }) => call);
  expect(new Set(ofCompany)).toEqual(new Set(['claim', 'grant', 'report']));
});

test('the time from the acceptance of a start to its grant is measured, and no agent receives the time of acceptance', async () => {
  const agent = await joinAgent();
  const measured = async (series: string) => {
    const text = await (await fetch(`${router.url}/metrics`)).text();
    return Number(new RegExp(`^batuta_router_dispatch_seconds_${series}\\S* (.+)$`, 'm').exec(text)?.[1]);
  };
  const before = await measured('count');
  world.fake.queue(environment.environmentID, 'measured', true, { acceptedAt: Date.now() - 3_600_000 });
  expect(await agent.takeFrame('offer')).not.toHaveProperty('acceptedAt');
  agent.send({ type: 'accept', instanceID: 'measured', fence: 1 });
  await agent.takeFrame('grant');
  expect(await measured('count')).toBe(before + 1);
  expect(await measured('sum')).toBeGreaterThan(3_500);
});

test.each([true, false, undefined])('the offer says whether a caller waits: %s', async (awaited) => {
  const agent = await joinAgent();
  world.fake.queue(environment.environmentID, `awaited-${awaited}`, true, { awaited });
  expect((await agent.takeFrame('offer')).awaited).toBe(awaited);
});

test('an instance that was queued before the agent connected, or whose notification was lost, is offered', async () => {
  queueInstance('early', false);
  const agent = await joinAgent();
  expect(await agent.takeFrame('offer')).toMatchObject({ instanceID: 'early' });
  queueInstance('not-notified', false);
  expect(await agent.takeFrame('offer')).toMatchObject({ instanceID: 'not-notified' });
});

test('an agent gets at most the smaller of its own and its environment’s capacity, and the next instance when one ends', async () => {
  environment = await world.addEnvironment(2);
  const agent = await joinAgent({ capacity: 5 });
  for (const id of ['c1', 'c2', 'c3']) queueInstance(id);
  const held = [await agent.acceptOffer(), await agent.acceptOffer()];
  agent.send({ type: 'heartbeat' });
  await agent.takeFrame('heartbeat');
  expect(world.fake.get('c3').status).toBe('queued');
  const [first] = held;
  if (first) agent.sendReport(first, 1, true);
  expect(await agent.acceptOffer()).toMatchObject({ instanceID: 'c3' });
});

test('a higher capacity of the environment brings the next instance', async () => {
  environment = await world.addEnvironment(1);
  const agent = await joinAgent({ capacity: 5 });
  queueInstance('r1');
  queueInstance('r2');
  await agent.acceptOffer();
  await world.store.write('UPDATE environment SET capacity = 2 WHERE environment_id = ?', [environment.environmentID]);
  expect(await agent.acceptOffer()).toMatchObject({ instanceID: 'r2' });
});

test('the queue of an environment is shared among its agents', async () => {
  const agents = [await joinAgent({ capacity: 2 }), await joinAgent({ capacity: 2 })];
  for (const id of ['s1', 's2', 's3', 's4']) queueInstance(id);
  const offers = await Promise.all(agents.flatMap((agent) => [agent.takeFrame('offer'), agent.takeFrame('offer')]));
  expect(offers.map(({ instanceID }) => instanceID).toSorted()).toEqual(['s1', 's2', 's3', 's4']);
});

test('a rejected instance is released and offered again after a backoff', async () => {
  const agent = await joinAgent();
  queueInstance('rejected');
  const { fence } = await agent.takeFrame('offer');
  agent.send({ type: 'reject', instanceID: 'rejected', fence, reason: 'full' });
  const again = await agent.takeFrame('offer');
  expect(again.instanceID).toBe('rejected');
  // A claim that was already in flight may bring the instance too early; the router then releases it.
  expect(again.fence).toBeGreaterThan(1);
});

test('offers that are rejected together are offered again after one pause, however many they are', async () => {
  const ids = ['t1', 't2', 't3', 't4', 't5'];
  const agent = await joinAgent({ capacity: ids.length });
  for (const id of ids) queueInstance(id);
  const offers = await Promise.all(ids.map(() => agent.takeFrame('offer')));
  const moment = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(moment);
  try {
    for (const { instanceID, fence } of offers) agent.send({ type: 'reject', instanceID, fence, reason: 'full' });
    await waitUntilTrue(() => ids.every((id) => world.fake.get(id).status === 'queued'), 'the releases');
    clock.mockReturnValue(moment + FIRST_PAUSE_MS);
    const again = await Promise.all(ids.map(() => agent.takeFrame('offer')));
    expect(again.map(({ instanceID }) => instanceID).toSorted()).toEqual(ids);
  } finally {
    clock.mockRestore();
  }
});

test('an offer that is not answered is revoked and released', async () => {
  const agent = await joinAgent({}, await world.startRouter({ OFFER_SECONDS: 1 }));
  queueInstance('slow');
  await agent.takeFrame('offer');
  expect(await agent.takeFrame('revoke')).toMatchObject({ instanceID: 'slow', fence: 1 });
  await waitUntilTrue(
    () => world.fake.get('slow').fence > 1 || world.fake.get('slow').status === 'queued',
    'the release',
  );
  agent.send({ type: 'accept', instanceID: 'slow', fence: 1 });
  // The agent accepts every offer, because on a slow machine some acceptances arrive after the offer was withdrawn.
  const accepted: number[] = [];
  let granted = 0;
  await waitUntilTrue(() => {
    for (const frame of agent.frames.splice(0)) {
      if (frame.type === 'grant') granted = frame.fence;
      if (frame.type !== 'offer') continue;
      accepted.push(frame.fence);
      agent.send({ type: 'accept', instanceID: 'slow', fence: frame.fence });
    }
    return granted > 0;
  }, 'the grant');
  expect(accepted.at(-1)).toBe(granted);
  expect(granted).toBeGreaterThan(1);
});

test('an offer has the more time to be answered the larger it and those before it are, up to a maximum', async () => {
  const schedule = jest.spyOn(global, 'setTimeout');
  try {
    const agent = await joinAgent({ capacity: 4 }, await world.startRouter({ OFFER_SECONDS: OFFER_MS / 1_000 }));
    const sizes = new Map<string, number>();
    for (const [id, bytes] of [
      ['small', 0],
      ['large', 500_000],
      ['behind', 0],
      ['largest', 1_000_000],
    ] as const) {
      queueLarge(id, bytes);
      sizes.set(id, Buffer.byteLength(JSON.stringify(await agent.takeFrame('offer'))));
    }
    const [small = 0, large = 0, behind = 0] = sizes.values();
    expect(large).toBeGreaterThan(500_000);
    const expected = [small, small + large, small + large + behind, MAX_EXTRA_MS * BYTES_PER_MS];
    const limits = schedule.mock.calls.map(([, limit = 0]) => Math.round((limit - OFFER_MS) * BYTES_PER_MS));
    // Other timers of the router, such as those of its connections, are left out.
    expect(limits.filter((bytes) => expected.includes(bytes))).toEqual(expected);
  } finally {
    schedule.mockRestore();
  }
});

test('a heartbeat precedes a large offer, so that the agent does not miss frames while it arrives', async () => {
  const agent = await joinAgent();
  agent.stopHeartbeats();
  queueLarge('small', 0);
  await agent.takeFrame('offer');
  const before = agent.frames.splice(0);
  queueLarge('large', 500_000);
  await waitUntilTrue(() => agent.has('offer'), 'the offer');
  expect(before).toEqual([]);
  expect(agent.frames.map(({ type }) => type)).toEqual(['heartbeat', 'offer']);
});

test('an agent that drains gets no offer', async () => {
  const leaving = await joinAgent();
  leaving.send({ type: 'drain' });
  leaving.send({ type: 'heartbeat' });
  await leaving.takeFrame('heartbeat');
  const other = await joinAgent();
  queueInstance('d1');
  queueInstance('d2');
  await other.takeFrame('offer');
  await other.takeFrame('offer');
  expect(leaving.has('offer')).toBe(false);
});

test.each([
  ['before', false],
  ['after', true],
])('a grant request that fails %s its commit is retried until execution replies', async (name, after) => {
  const agent = await joinAgent();
  world.fake.fail('grant', 3, after);
  queueInstance(`grant-${name}`);
  await agent.acceptOffer();
  expect(world.fake.get(`grant-${name}`).status).toBe('running');
});

test('an accepted offer that execution does not grant is revoked', async () => {
  const agent = await joinAgent();
  queueInstance('taken');
  const { fence } = await agent.takeFrame('offer');
  world.fake.get('taken').sessionID = 'another';
  agent.send({ type: 'accept', instanceID: 'taken', fence });
  expect(await agent.takeFrame('revoke')).toMatchObject({ instanceID: 'taken', fence });
  expect(agent.has('grant')).toBe(false);
});

test('a broken connection releases offered instances and not granted ones', async () => {
  const agent = await joinAgent();
  queueInstance('running');
  await agent.acceptOffer();
  queueInstance('offered');
  await agent.takeFrame('offer');
  agent.cut();
  await waitUntilTrue(() => world.fake.get('offered').status === 'queued', 'the release');
  expect(world.fake.get('running').status).toBe('running');
});

test('a failed claim is followed by another', async () => {
  const agent = await joinAgent();
  world.fake.fail('claim', 2);
  queueInstance('unlucky');
  expect(await agent.takeFrame('offer')).toMatchObject({ instanceID: 'unlucky' });
});

test.each([
  ['a notification', true],
  ['reconciliation', false],
])('the agent receives each desired state of an instance by %s', async (name, notify) => {
  const agent = await joinAgent();
  queueInstance(`desired-by-${name}`);
  const held = await agent.acceptOffer();
  for (const desired of ['pause', 'run', 'stop'] as const) {
    world.fake.setDesired(held.instanceID, desired, notify);
    expect(await agent.takeFrame('desired')).toEqual({ type: 'desired', ...held, desired });
  }
  expect(agent.has('desired')).toBe(false);
});
