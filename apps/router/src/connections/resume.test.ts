import type { HelloFrame } from '@batuta/agent-protocol';
import type { HeldInstance } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld, type TestEnvironment } from '../../test/world';
import type { RunningRouter } from '../app';

let world: RouterWorld;
let routers: [RunningRouter, RunningRouter];
let environment: TestEnvironment;

beforeAll(async () => {
  world = await RouterWorld.create();
  routers = [await world.startRouter(), await world.startRouter()];
});

beforeEach(async () => {
  environment = await world.addEnvironment();
});

afterAll(() => world?.close());

/** A new agent to which an instance with this id was granted. */
async function runOne(router: RunningRouter, instanceID: string) {
  const { agent, sessionID } = await TestAgent.join(router.url, environment.key);
  world.fake.queue(environment.environmentID, instanceID);
  return { agent, sessionID, held: await agent.acceptOffer() };
}

const resumeSession = (
  router: RunningRouter,
  sessionID: string,
  held: HeldInstance[],
  over: Partial<HelloFrame> = {},
) => TestAgent.join(router.url, environment.key, { resume: { sessionID, held }, ...over });

test('an agent continues its instances at another router', async () => {
  const [first, second] = routers;
  const { agent, sessionID, held } = await runOne(first, 'moving');
  agent.sendReport(held, 1);
  await agent.takeFrame('ack');
  agent.cut();
  const { agent: again, welcome } = await resumeSession(second, sessionID, [held]);
  expect(welcome.granted).toEqual([{ ...held, desired: 'run' }]);
  again.sendReport(held, 2, true);
  expect(await again.takeFrame('ack')).toMatchObject({ seq: 2, accepted: true });
  // Calls to execution for a resumed instance still carry the request id of the instance's start.
  expect(world.fake.calls.findLast(({ call }) => call === 'report')?.requestID).toBe('request-moving');
  expect(world.fake.get('moving')).toMatchObject({ status: 'ended', sessionID: welcome.sessionID });
  const [old, now] = [await world.findSession(sessionID), await world.findSession(welcome.sessionID)];
  expect([old?.closed, now?.closed]).toEqual([1, 0]);
  expect(now?.router_id).not.toBe(old?.router_id);
  again.cut();
});

test('a router terminates a half-open connection once its session is closed by another router', async () => {
  // The first router ends its session when its renewal of the lease finds the row closed.
  const left = await world.startRouter({ LEASE_SECONDS: 15, HEARTBEAT_SECONDS: 0.5 });
  const { agent, sessionID, held } = await runOne(left, 'half-open');
  const { agent: again } = await resumeSession(routers[0], sessionID, [held]);
  await waitUntilTrue(() => agent.closed !== undefined, 'the end of the old connection');
  expect(world.fake.get('half-open').status).toBe('running');
  again.cut();
});

test('a resume at the same router replaces the first connection', async () => {
  const { agent, sessionID, held } = await runOne(routers[0], 'replaced');
  const { agent: again } = await resumeSession(routers[0], sessionID, [held]);
  await agent.waitForClose();
  again.sendReport(held, 1, true);
  expect(await again.takeFrame('ack')).toMatchObject({ accepted: true });
  again.cut();
});

test('resumed instances count against the capacity of the agent', async () => {
  const { agent, sessionID, held } = await runOne(routers[0], 'counted');
  agent.cut();
  const { agent: again } = await resumeSession(routers[1], sessionID, [held], { capacity: 1 });
  world.fake.queue(environment.environmentID, 'waiting');
  again.send({ type: 'heartbeat' });
  await again.takeFrame('heartbeat');
  expect(again.has('offer')).toBe(false);
  again.sendReport(held, 1, true);
  expect(await again.takeFrame('offer')).toMatchObject({ instanceID: 'waiting' });
  again.cut();
});

test('a grant that was lost with the connection is repeated in the welcome', async () => {
  const { agent, sessionID } = await TestAgent.join(routers[0].url, environment.key);
  world.fake.queue(environment.environmentID, 'accepted');
  const { instanceID, fence } = await agent.takeFrame('offer');
  agent.send({ type: 'accept', instanceID, fence });
  await waitUntilTrue(() => world.fake.get('accepted').status === 'running', 'the grant');
  agent.cut();
  const { agent: again, welcome } = await resumeSession(routers[1], sessionID, [{ instanceID, fence }]);
  expect(welcome.granted).toEqual([{ instanceID, fence, desired: 'run' }]);
  again.cut();
});

test('a resume is retried when execution does not reply at first', async () => {
  const { agent, sessionID, held } = await runOne(routers[0], 'patient');
  agent.cut();
  world.fake.fail('adopt', 2);
  const { agent: again, welcome } = await resumeSession(routers[1], sessionID, [held]);
  expect(welcome.granted).toHaveLength(1);
  again.cut();
});

test.each([['of another environment'], ['that does not exist']])(
  'a resume takes over no instance of a session %s',
  async (session) => {
    const { agent, sessionID, held } = await runOne(routers[0], `foreign ${session}`);
    const other = await world.addEnvironment();
    const claimed = session === 'of another environment' ? sessionID : 'unknown';
    const resume = { sessionID: claimed, held: [held] };
    const { agent: otherAgent, welcome } = await TestAgent.join(routers[0].url, other.key, { resume });
    expect(welcome).toMatchObject({ granted: [], revoked: [held] });
    expect(agent.closed).toBeUndefined();
    agent.cut();
    otherAgent.cut();
  },
);

test('a router that stops closes its connections with 1001, and the environment stays online until the agents resume elsewhere', async () => {
  const stopping = await world.startRouter();
  const { agent, sessionID, held } = await runOne(stopping, 'sent-away');
  await stopping.close();
  expect(await agent.waitForClose()).toBe(1001);
  expect(await world.findSession(sessionID)).toMatchObject({ closed: 0, alive: 1 });
  const { agent: again, welcome } = await resumeSession(routers[0], sessionID, [held]);
  expect(welcome.granted).toHaveLength(1);
  await waitUntil('the end of the old session', async () => Number((await world.findSession(sessionID))?.closed) === 1);
  again.cut();
});
