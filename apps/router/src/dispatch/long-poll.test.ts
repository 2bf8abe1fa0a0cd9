import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld, type TestEnvironment } from '../../test/world';
import type { RunningRouter } from '../app';

let world: RouterWorld;
let router: RunningRouter;
let environment: TestEnvironment;

/** Far longer than the first pause of a backoff, so that a test can tell them apart. */
const MAX_BACKOFF_MS = 30_000;

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

async function joinAgent(hello: { capacity?: number } = {}, { url } = router): Promise<TestAgent> {
  return (await TestAgent.join(url, environment.key, hello)).agent;
}

describe('with claims that wait at execution', () => {
  beforeAll(() => {
    world.fake.claimsWait = true;
  });
  afterAll(() => {
    world.fake.claimsWait = false;
  });

  test('instances are offered one after the other without notifications', async () => {
    const agent = await joinAgent();
    for (const id of ['w1', 'w2', 'w3']) {
      queueInstance(id, false);
      const held = await agent.acceptOffer();
      expect(held).toMatchObject({ instanceID: id });
      agent.sendReport(held, 1, true);
    }
  });

  test('instances that arrive while their agent backs off are released, and offered after the backoff', async () => {
    const agent = await joinAgent({ capacity: 5 }, await world.startRouter({ POLL_MS: 30_000 }));
    queueInstance('rejected-once', false);
    const { fence } = await agent.takeFrame('offer');
    await waitUntilTrue(() => world.fake.queueEvents.listenerCount(environment.environmentID) > 0, 'the long poll');
    const [now, moment] = [performance.now.bind(performance), performance.now()];
    world.fake.lostNotifications = Infinity;
    // The clock stands still, so the backoff does not end by itself.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(moment);
    try {
      agent.send({ type: 'reject', instanceID: 'rejected-once', fence, reason: 'full' });
      const { instances } = world.fake;
      const isReleased = (id: string, offered: number) =>
        instances.get(id)?.fence === offered && instances.get(id)?.status === 'queued';
      await waitUntilTrue(() => isReleased('rejected-once', 1), 'the release of the rejected instance');
      queueInstance('brought', false);
      await waitUntilTrue(
        () => isReleased('rejected-once', 2) && isReleased('brought', 1),
        'the release of what the claim brought',
      );
      expect(agent.has('offer')).toBe(false);
      clock.mockImplementation(() => now() + MAX_BACKOFF_MS);
      queueInstance('next');
      const offers = [await agent.takeFrame('offer'), await agent.takeFrame('offer'), await agent.takeFrame('offer')];
      const offered = offers.map((offer) => `${offer.instanceID} ${offer.fence}`).toSorted();
      expect(offered).toEqual(['brought 2', 'next 1', 'rejected-once 3']);
    } finally {
      clock.mockRestore();
      world.fake.lostNotifications = 0;
    }
    agent.cut();
  });

  test('a rejected instance is not offered again by the claim that brought it', async () => {
    const agent = await joinAgent({ capacity: 5 }, await world.startRouter({ POLL_MS: 30_000 }));
    queueInstance('rejected', false);
    const { fence } = await agent.takeFrame('offer');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      agent.send({ type: 'reject', instanceID: 'rejected', fence, reason: 'full' });
      await waitUntilTrue(() => world.fake.get('rejected').status === 'queued', 'the release');
      await waitUntilTrue(
        () => world.fake.queueEvents.listenerCount(environment.environmentID) === 0,
        'the end of the claim',
      );
      queueInstance('later');
      agent.send({ type: 'heartbeat' });
      await agent.takeFrame('heartbeat');
      expect(['rejected', 'later'].map((id) => world.fake.get(id).fence)).toEqual([1, 0]);
    } finally {
      clock.mockRestore();
    }
    agent.cut();
  });

  /** Counts the long polls of the environment. */
  const longPolls = () =>
    world.fake.calls.flatMap(({ call, request }) => {
      const { environmentID, waitMilliseconds, inParts } = Object(request);
      const isLongPoll = call === 'claim' && environmentID === environment.environmentID && waitMilliseconds > 0;
      return isLongPoll ? [{ inParts: inParts === true }] : [];
    });

  test('one claim brings instances one after the other until it has filled the room of the session', async () => {
    const routerWithLongPolls = await world.startRouter({ POLL_MS: 30_000 });
    const agent = await joinAgent({ capacity: 3 }, routerWithLongPolls);
    for (const [id, claimed] of [
      ['p1', 1],
      ['p2', 1],
      ['p3', 2],
      ['p4', 2],
    ] as const) {
      queueInstance(id, false);
      const held = await agent.acceptOffer();
      expect(held).toMatchObject({ instanceID: id });
      agent.sendReport(held, 1, true);
      await agent.takeFrame('ack');
      await waitUntilTrue(() => longPolls().length >= claimed, 'the next claim');
      expect(longPolls()).toHaveLength(claimed);
    }
    agent.cut();
  });

  test('as soon as another agent has room too, the agents take turns', async () => {
    const routerWithLongPolls = await world.startRouter({ POLL_MS: 30_000 });
    const first = await joinAgent({ capacity: 4 }, routerWithLongPolls);
    await waitUntilTrue(() => longPolls().at(-1)?.inParts === true, 'the claim in parts');
    const agents = [first, await joinAgent({ capacity: 4 }, routerWithLongPolls)];
    await waitUntilTrue(() => longPolls().at(-1)?.inParts === false, 'a claim that shares');
    const offered = () => agents.map(({ frames }) => frames.filter(({ type }) => type === 'offer').length);
    for (const [index, expected] of [1, 2, 3, 4].entries()) {
      queueInstance(`turn-${index}`, false);
      await waitUntilTrue(() => offered().reduce((sum, count) => sum + count, 0) === expected, 'the offer');
    }
    expect(offered()).toEqual([2, 2]);
    for (const agent of agents) agent.cut();
  });

  test('an instance with a notification is offered although the reply to the long poll is lost', async () => {
    world.fake.lostClaims = 1;
    const routerWithLongPolls = await world.startRouter({ POLL_MS: 30_000 });
    const { agent } = await TestAgent.join(routerWithLongPolls.url, environment.key, { capacity: 2 });
    await waitUntilTrue(() => world.fake.lostClaims === 0, 'the claim');
    for (const id of ['extra-1', 'extra-2', 'extra-3']) queueInstance(id);
    const held = [await agent.acceptOffer(), await agent.acceptOffer()];
    expect(world.fake.get('extra-3').status).toBe('queued');
    const [first] = held;
    if (first) agent.sendReport(first, 1, true);
    expect(await agent.acceptOffer()).toMatchObject({ instanceID: 'extra-3' });
    agent.cut();
    await routerWithLongPolls.close();
  });

  test('an instance that a claim brings for an agent that drains is released and offered to another agent', async () => {
    const routerWithLongPolls = await world.startRouter({ POLL_MS: 30_000 });
    const leaving = await joinAgent({}, routerWithLongPolls);
    await waitUntilTrue(() => world.fake.queueEvents.listenerCount(environment.environmentID) > 0, 'the long poll');
    leaving.send({ type: 'drain' });
    leaving.send({ type: 'heartbeat' });
    await leaving.takeFrame('heartbeat');
    // The notification is dropped, because the other agent's free room would otherwise end the claim.
    world.fake.lostNotifications = 1;
    const other = await joinAgent({}, routerWithLongPolls);
    await waitUntilTrue(() => world.fake.lostNotifications === 0, 'the lost notification');
    queueInstance('moved', false);
    expect(await other.takeFrame('offer')).toMatchObject({ instanceID: 'moved', fence: 2 });
    expect(leaving.has('offer')).toBe(false);
  });

  test('a long poll is followed by another when it ends empty or fails', async () => {
    const agent = await joinAgent();
    const before = world.fake.countCalls('claim');
    await waitUntilTrue(() => world.fake.countCalls('claim') > before + 2, 'more claims');
    world.fake.fail('claim', 2);
    await waitUntilTrue(() => world.fake.failures.get('claim')?.times === 0, 'the failures');
    queueInstance('afterwards', false);
    expect(await agent.takeFrame('offer')).toMatchObject({ instanceID: 'afterwards' });
  });
});
