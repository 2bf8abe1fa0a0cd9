import { TestAgent } from '../../test/test-agent';
import { until } from '../../test/until';
import { World, type TestEnvironment } from '../../test/world';
import type { Router } from '../app';

let world: World;
let router: Router;
let environment: TestEnvironment;

/** Far more than an agent that rejected once rests. */
const LONGEST_REST_MS = 30_000;

beforeAll(async () => {
  world = await World.create();
  router = await world.router();
});

beforeEach(async () => {
  environment = await world.environment();
});

afterAll(() => world?.close());

function queue(instanceID: string, hint = true): void {
  world.fake.queue(environment.environmentID, instanceID, hint);
}

async function join(hello: { capacity?: number } = {}, { url } = router): Promise<TestAgent> {
  return (await TestAgent.join(url, environment.key, hello)).agent;
}

test('brings queued work on a hint: offer, accept, committed grant', async () => {
  const agent = await join();
  queue('hinted');
  const offer = await agent.next('offer');
  expect(offer).toMatchObject({ instanceID: 'hinted', fence: 1, processName: 'Orders', requestID: 'request-hinted' });
  expect(world.fake.get('hinted').status).toBe('unknown');
  agent.send({ type: 'accept', instanceID: 'hinted', fence: 1 });
  expect(await agent.next('grant')).toEqual({ type: 'grant', instanceID: 'hinted', fence: 1, desired: 'run' });
  expect(world.fake.get('hinted').status).toBe('running');
});

test.each([true, false, undefined])('tells the agent whether a caller waits: %s', async (awaited) => {
  const agent = await join();
  world.fake.queue(environment.environmentID, `awaited-${awaited}`, true, { awaited });
  expect((await agent.next('offer')).awaited).toBe(awaited);
});

test('brings work that was queued before the agent came, and work whose hint was lost', async () => {
  queue('early', false);
  const agent = await join();
  expect(await agent.next('offer')).toMatchObject({ instanceID: 'early' });
  queue('unhinted', false);
  expect(await agent.next('offer')).toMatchObject({ instanceID: 'unhinted' });
});

test('holds no more than the smaller of the agent’s and the environment’s capacity, and goes on with freed slots', async () => {
  environment = await world.environment(2);
  const agent = await join({ capacity: 5 });
  for (const id of ['c1', 'c2', 'c3']) queue(id);
  const held = [await agent.run(), await agent.run()];
  agent.send({ type: 'heartbeat' });
  await agent.next('heartbeat');
  expect(world.fake.get('c3').status).toBe('queued');
  const [first] = held;
  if (first) agent.report(first, 1, true);
  expect(await agent.run()).toMatchObject({ instanceID: 'c3' });
});

test('follows a raised capacity', async () => {
  environment = await world.environment(1);
  const agent = await join({ capacity: 5 });
  queue('r1');
  queue('r2');
  await agent.run();
  await world.store.write('UPDATE environment SET capacity = 2 WHERE environment_id = ?', [environment.environmentID]);
  expect(await agent.run()).toMatchObject({ instanceID: 'r2' });
});

test('shares an environment’s queue among its agents', async () => {
  const agents = [await join({ capacity: 2 }), await join({ capacity: 2 })];
  for (const id of ['s1', 's2', 's3', 's4']) queue(id);
  const offers = await Promise.all(agents.flatMap((agent) => [agent.next('offer'), agent.next('offer')]));
  expect(offers.map(({ instanceID }) => instanceID).toSorted()).toEqual(['s1', 's2', 's3', 's4']);
});

test('puts a rejected instance back, lets the agent rest, and offers it again', async () => {
  const agent = await join();
  queue('rejected');
  const { fence } = await agent.next('offer');
  agent.send({ type: 'reject', instanceID: 'rejected', fence, reason: 'full' });
  const again = await agent.next('offer');
  expect(again).toMatchObject({ instanceID: 'rejected', fence: 2 });
});

test('takes an unanswered offer back and tells the agent so', async () => {
  const agent = await join({}, await world.router({ OFFER_SECONDS: 1 }));
  queue('slow');
  await agent.next('offer');
  expect(await agent.next('revoke')).toMatchObject({ instanceID: 'slow', fence: 1 });
  await until(() => world.fake.get('slow').fence > 1 || world.fake.get('slow').status === 'queued', 'the release');
  agent.send({ type: 'accept', instanceID: 'slow', fence: 1 });
  // Each offer is accepted as it comes: a starved machine may be too late for one or the other.
  const accepted: number[] = [];
  let granted = 0;
  await until(() => {
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

test('offers nothing to an agent that is about to leave', async () => {
  const leaving = await join();
  leaving.send({ type: 'drain' });
  leaving.send({ type: 'heartbeat' });
  await leaving.next('heartbeat');
  const other = await join();
  queue('d1');
  queue('d2');
  await other.next('offer');
  await other.next('offer');
  expect(leaving.has('offer')).toBe(false);
});

test.each([
  ['before', false],
  ['after', true],
])('asks for a grant until it is answered, also when the fault came %s its commit', async (name, after) => {
  const agent = await join();
  world.fake.fail('grant', 3, after);
  queue(`grant-${name}`);
  await agent.run();
  expect(world.fake.get(`grant-${name}`).status).toBe('running');
});

test('takes the offer back when execution does not grant it', async () => {
  const agent = await join();
  queue('taken');
  const { fence } = await agent.next('offer');
  world.fake.get('taken').sessionID = 'another';
  agent.send({ type: 'accept', instanceID: 'taken', fence });
  expect(await agent.next('revoke')).toMatchObject({ instanceID: 'taken', fence });
  expect(agent.has('grant')).toBe(false);
});

test('releases what was offered, and not what was granted, when the connection breaks', async () => {
  const agent = await join();
  queue('running');
  await agent.run();
  queue('offered');
  await agent.next('offer');
  agent.cut();
  await until(() => world.fake.get('offered').status === 'queued', 'the release');
  expect(world.fake.get('running').status).toBe('running');
});

test('claims again after a claim that failed', async () => {
  const agent = await join();
  world.fake.fail('claim', 2);
  queue('unlucky');
  expect(await agent.next('offer')).toMatchObject({ instanceID: 'unlucky' });
});

test.each([
  ['at once by hint', true],
  ['without a hint', false],
])('tells the agent what is wanted of an instance %s', async (name, hint) => {
  const agent = await join();
  queue(`wanted-${name}`);
  const held = await agent.run();
  for (const desired of ['pause', 'run', 'stop'] as const) {
    world.fake.want(held.instanceID, desired, hint);
    expect(await agent.next('desired')).toEqual({ type: 'desired', ...held, desired });
  }
  expect(agent.has('desired')).toBe(false);
});

describe('where claims wait for work', () => {
  beforeAll(() => {
    world.fake.waits = true;
  });
  afterAll(() => {
    world.fake.waits = false;
  });

  test('it comes without a hint, one after the other', async () => {
    const agent = await join();
    for (const id of ['w1', 'w2', 'w3']) {
      queue(id, false);
      const held = await agent.run();
      expect(held).toMatchObject({ instanceID: id });
      agent.report(held, 1, true);
    }
  });

  test('what a claim brings while its agent rests goes back, until it has rested', async () => {
    const agent = await join({ capacity: 5 }, await world.router({ POLL_MS: 30_000 }));
    queue('unwanted', false);
    const { fence } = await agent.next('offer');
    await until(() => world.fake.news.listenerCount(environment.environmentID) > 0, 'the claim that waits');
    const [now, moment] = [performance.now.bind(performance), performance.now()];
    world.fake.lostWords = Infinity;
    // It rests for as long as the clock stands still.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(moment);
    try {
      agent.send({ type: 'reject', instanceID: 'unwanted', fence, reason: 'full' });
      const { instances } = world.fake;
      const isBack = (id: string, offered: number) =>
        instances.get(id)?.fence === offered && instances.get(id)?.status === 'queued';
      await until(() => isBack('unwanted', 1), 'what it rejected to go back');
      queue('brought', false);
      await until(() => isBack('unwanted', 2) && isBack('brought', 1), 'what the claim brought to go back');
      expect(agent.has('offer')).toBe(false);
      clock.mockImplementation(() => now() + LONGEST_REST_MS);
      queue('next');
      const offers = [await agent.next('offer'), await agent.next('offer'), await agent.next('offer')];
      const offered = offers.map((offer) => `${offer.instanceID} ${offer.fence}`).toSorted();
      expect(offered).toEqual(['brought 2', 'next 1', 'unwanted 3']);
    } finally {
      clock.mockRestore();
      world.fake.lostWords = 0;
    }
    agent.cut();
  });

  test('what an agent rejects does not come back to it by the claim that brought it', async () => {
    const agent = await join({ capacity: 5 }, await world.router({ POLL_MS: 30_000 }));
    queue('rejected', false);
    const { fence } = await agent.next('offer');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      agent.send({ type: 'reject', instanceID: 'rejected', fence, reason: 'full' });
      await until(() => world.fake.get('rejected').status === 'queued', 'the release');
      await until(() => world.fake.news.listenerCount(environment.environmentID) === 0, 'the end of its claim');
      queue('later');
      agent.send({ type: 'heartbeat' });
      await agent.next('heartbeat');
      expect(['rejected', 'later'].map((id) => world.fake.get(id).fence)).toEqual([1, 0]);
    } finally {
      clock.mockRestore();
    }
    agent.cut();
  });

  /** Those that wait. */
  const claims = () =>
    world.fake.calls.flatMap(({ call, request }) => {
      const { environmentID, waitMilliseconds, inParts } = Object(request);
      const ours = call === 'claim' && environmentID === environment.environmentID && waitMilliseconds > 0;
      return ours ? [{ inParts: inParts === true }] : [];
    });

  test('one claim brings one instance after the other, as many as there was room for', async () => {
    const patient = await world.router({ POLL_MS: 30_000 });
    const agent = await join({ capacity: 3 }, patient);
    for (const [id, claimed] of [
      ['p1', 1],
      ['p2', 1],
      ['p3', 2],
      ['p4', 2],
    ] as const) {
      queue(id, false);
      const held = await agent.run();
      expect(held).toMatchObject({ instanceID: id });
      agent.report(held, 1, true);
      await agent.next('ack');
      await until(() => claims().length >= claimed, 'the next claim');
      expect(claims()).toHaveLength(claimed);
    }
    agent.cut();
  });

  test('as soon as another agent has room too, each has its turn', async () => {
    const patient = await world.router({ POLL_MS: 30_000 });
    const first = await join({ capacity: 4 }, patient);
    await until(() => claims().at(-1)?.inParts === true, 'the claim of one alone');
    const agents = [first, await join({ capacity: 4 }, patient)];
    await until(() => claims().at(-1)?.inParts === false, 'a claim that shares');
    const offered = () => agents.map(({ frames }) => frames.filter(({ type }) => type === 'offer').length);
    for (const [index, expected] of [1, 2, 3, 4].entries()) {
      queue(`turn-${index}`, false);
      await until(() => offered().reduce((sum, count) => sum + count, 0) === expected, 'the offer');
    }
    expect(offered()).toEqual([2, 2]);
    for (const agent of agents) agent.cut();
  });

  test('what is hinted does not wait for a claim whose answer is lost', async () => {
    world.fake.lostClaims = 1;
    const patient = await world.router({ POLL_MS: 30_000 });
    const { agent } = await TestAgent.join(patient.url, environment.key, { capacity: 2 });
    await until(() => world.fake.lostClaims === 0, 'the claim');
    for (const id of ['unheard-1', 'unheard-2', 'unheard-3']) queue(id);
    const held = [await agent.run(), await agent.run()];
    expect(world.fake.get('unheard-3').status).toBe('queued');
    const [first] = held;
    if (first) agent.report(first, 1, true);
    expect(await agent.run()).toMatchObject({ instanceID: 'unheard-3' });
    agent.cut();
    await patient.close();
  });

  test('an agent that leaves meanwhile is offered nothing: it goes back, and to another', async () => {
    const patient = await world.router({ POLL_MS: 30_000 });
    const leaving = await join({}, patient);
    await until(() => world.fake.news.listenerCount(environment.environmentID) > 0, 'the claim that waits');
    leaving.send({ type: 'drain' });
    leaving.send({ type: 'heartbeat' });
    await leaving.next('heartbeat');
    // That another has room now would end the claim.
    world.fake.lostWords = 1;
    const other = await join({}, patient);
    await until(() => world.fake.lostWords === 0, 'the word that is lost');
    queue('moved', false);
    expect(await other.next('offer')).toMatchObject({ instanceID: 'moved', fence: 2 });
    expect(leaving.has('offer')).toBe(false);
  });

  test('the claim is made again when its wait is over, and goes on after a fault', async () => {
    const agent = await join();
    const before = world.fake.count('claim');
    await until(() => world.fake.count('claim') > before + 2, 'more claims');
    world.fake.fail('claim', 2);
    await until(() => world.fake.failures.get('claim')?.times === 0, 'the faults');
    queue('afterwards', false);
    expect(await agent.next('offer')).toMatchObject({ instanceID: 'afterwards' });
  });
});
