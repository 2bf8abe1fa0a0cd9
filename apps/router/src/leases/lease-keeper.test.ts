import { PeriodicTasks } from '@batuta/service';
import type { TestServer } from '../../../../test/support/servers';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld } from '../../test/world';
import type { RouterConfig } from '../config';
import { SessionRepository } from '../sessions/session.repository';
import { leaseTimes } from './lease-rules';

/**
 * A lease that is long enough not to expire on a slow machine; a test in which one must expire sets the clock forward.
 */
const LEASE: Partial<RouterConfig> = { LEASE_SECONDS: 200, HEARTBEAT_SECONDS: 0.1 };
const { graceMs, renewalTrustedMs } = leaseTimes(200);
/**
 * How far a test sets the clock forward: twice is longer than the grace period, once is shorter than the time for which
 * a renewal is trusted.
 */
const STEP_MS = 0.6 * graceMs;
const SWEEP_MS = 50;

let world: RouterWorld;

let passedMs = 0;

beforeAll(async () => {
  world = await RouterWorld.create({ ownServers: true });
  const every = Reflect.get(PeriodicTasks.prototype, 'every');
  jest.spyOn(PeriodicTasks.prototype, 'every').mockImplementation(function often(
    this: PeriodicTasks,
    name,
    ms,
    ...rest
  ) {
    return Reflect.apply(every, this, [name, Math.min(ms, SWEEP_MS), ...rest]);
  });
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
});

afterAll(async () => {
  await world?.close();
  jest.restoreAllMocks();
});

/** Moves the router's monotonic clock, not the clock of the database. */
function setClockForward(milliseconds: number): void {
  passedMs += milliseconds;
}

/** The end of the lease in epoch milliseconds; 0 without a row. */
const leaseOf = async (sessionID: string) => {
  const row = await world.store.row<{ lease: Date }>(
    'SELECT lease_until AS lease FROM agent_session WHERE session_id = ?',
    [sessionID],
  );
  return row?.lease.getTime() ?? 0;
};

/** Waits for a renewal that begins after this call. */
async function untilRenewed(sessionID: string): Promise<void> {
  for (const which of ['the renewal in progress', 'another renewal']) {
    const before = await leaseOf(sessionID);
    await waitUntilTrue(async () => (await leaseOf(sessionID)) > before, which);
  }
}

test('the lease of an agent that sends frames is renewed', async () => {
  const router = await world.startRouter(LEASE);
  const { environmentID, key } = await world.addEnvironment();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  for (let step = 0; step < 4; step += 1) {
    setClockForward(STEP_MS);
    agent.send({ type: 'heartbeat' });
    agent.frames.length = 0;
    await agent.takeFrame('heartbeat');
    await untilRenewed(sessionID);
  }
  expect(agent.closed).toBeUndefined();
  world.fake.queue(environmentID, 'still-here');
  await agent.acceptOffer();
  await router.close();
});

test('an agent that sends nothing for its grace period loses its session', async () => {
  const router = await world.startRouter(LEASE);
  const { key } = await world.addEnvironment();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  agent.stopHeartbeats();
  setClockForward(STEP_MS);
  await untilRenewed(sessionID);
  expect(agent.closed).toBeUndefined();
  setClockForward(STEP_MS);
  // The connection ends with 1006, because it was terminated; a close frame would have sent another code.
  expect(await agent.waitForClose()).toBe(1006);
  await waitUntilTrue(async () => (await world.findSession(sessionID))?.closed === 1, 'the closed row');
  const lease = await leaseOf(sessionID);
  await router.close();
  expect(await leaseOf(sessionID)).toBe(lease);
});

test('a session whose row was closed by another replica ends', async () => {
  const router = await world.startRouter(LEASE);
  const { key } = await world.addEnvironment();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  await new SessionRepository(world.store, { LEASE_SECONDS: 1 }).close([sessionID]);
  expect(await agent.waitForClose()).toBe(1013);
  await router.close();
});

test('an expired lease is not renewed, while others are', async () => {
  const { environmentID } = await world.addEnvironment();
  const repository = new SessionRepository(world.store, { LEASE_SECONDS: 1 });
  const insert = `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities,
                                             capacity, connected_at, lease_until)
    VALUES (?, ?, 'r', 'a', '1', '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? SECOND)`;
  await world.store.write(insert, ['alive', environmentID, 60]);
  await world.store.write(insert, ['lapsed', environmentID, -1]);
  expect([...(await repository.renew(['alive', 'lapsed']))]).toEqual(['alive']);
  await world.store.write(insert, ['old', environmentID, -25 * 3_600]);
  await repository.deleteOld();
  expect([await world.findSession('old'), (await world.findSession('lapsed'))?.alive]).toEqual([undefined, 0]);
});

test.each<[string, (server: TestServer) => unknown, (server: TestServer) => unknown]>([
  ['that is away', (server) => server.kill(), (server) => server.startAgain()],
  ['that hangs', (server) => server.pause(), (server) => server.resume()],
])(
  'with a database %s agents are disconnected before their lease expires, refused until it is back, and then resume',
  async (...outage) => {
    const [name, away, back] = outage;
    const router = await world.startRouter(LEASE);
    const { environmentID, key } = await world.addEnvironment();
    const { agent, sessionID } = await TestAgent.join(router.url, key);
    world.fake.queue(environmentID, name);
    const held = await agent.acceptOffer();
    await away(world.servers.mariadb);
    setClockForward(renewalTrustedMs);
    expect(await agent.waitForClose()).toBe(1013);
    const refused = await TestAgent.connect(router.url, key);
    expect(refused.closed).toBeDefined();
    expect((await fetch(`${router.url}/health/ready`)).status).toBe(503);
    await back(world.servers.mariadb);
    await waitUntilTrue(async () => (await fetch(`${router.url}/health/ready`)).status === 200, 'readiness');
    const { welcome } = await TestAgent.join(router.url, key, { resume: { sessionID, held: [held] } });
    expect(welcome.granted).toHaveLength(1);
    await router.close();
  },
);

test('without NATS sessions keep their leases, and reports and claims continue when it is back', async () => {
  const router = await world.startRouter(LEASE);
  const { environmentID, key } = await world.addEnvironment();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  world.fake.queue(environmentID, 'before');
  const held = await agent.acceptOffer();
  await world.servers.nats.kill();
  agent.sendReport(held, 1, true);
  await waitUntilTrue(async () => (await fetch(`${router.url}/health/ready`)).status === 503, 'readiness to fail');
  const lease = await leaseOf(sessionID);
  await waitUntilTrue(async () => (await leaseOf(sessionID)) > lease, 'a renewal');
  expect([agent.closed, agent.has('ack')]).toEqual([undefined, false]);
  await world.servers.nats.startAgain();
  expect(await agent.takeFrame('ack')).toMatchObject({ seq: 1, accepted: true });
  world.fake.queue(environmentID, 'after', false);
  await agent.acceptOffer();
  await router.close();
});
