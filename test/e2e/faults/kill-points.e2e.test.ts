import type { Program } from '../support/stack/program';
import { SHORT_LEASE_SETTINGS, ChaosStack, type OrderWorld } from '../support/faults/chaos-stack';
import type { ServiceProcess } from '../support/stack/service-process';

// Separate processes kill themselves (SIGKILL) at named fault points. Afterwards every accepted start ends, no effect happens
// twice, and the credits add up.

/**
 * About three times the capacity of an agent: when a program dies, some orders are being started, run or reported, and others are
 * queued.
 */
const ORDER_COUNT = 16;
/** The program dies when it passes its fault point for the third time, so that it has work in flight. */
const KILL_AT_PASS = 3;
const KILL_TIME_LIMIT_MS = 90_000;

let chaos: ChaosStack;
/** The name of the agent that runs the orders of the company that `chaos` uses now. */
let steadyAgent = 'steady';
/** A router with a short lease, for agents that the test kills. */
let shortLeaseRouter: ServiceProcess | undefined;

beforeAll(async () => {
  // With short heartbeats an agent soon gets a reply to one, after which it reconnects without backoff.
  chaos = await ChaosStack.start({ router: { HEARTBEAT_SECONDS: '1' }, replicas: 'together' });
  await chaos.joinAgent(steadyAgent);
  await chaos.recordUndisturbedLog();
});

afterAll(() => chaos?.stop());

/** How many companies a test tries until one is served by the armed replica, each with a probability of a half. */
const MAX_COMPANIES = 20;
const RULE = 'a kill at %s loses no accepted start and runs none twice';

test.each(['after-commit', 'after-claim', 'after-grant', 'mid-report'])(`execution: ${RULE}`, async (point) => {
  const armed = await chaos.stack.addReplica('execution', { BATUTA_FAULT: `execution:${point}@${KILL_AT_PASS}` });
  for (let company = 1; armed.isAlive && company <= MAX_COMPANIES; company += 1) {
    const orders = await chaos.makeOrderProcess();
    await orders.integrator.place(ORDER_COUNT, 2);
    expect((await chaos.check(orders)).violations).toEqual([]);
    if (armed.isAlive) await moveToNewCompany(`steady ${point} ${company}`);
  }
  if (armed.isAlive) throw new Error('The armed process did not come to its point');
  expect((await armed.exited).signal).toBe('SIGKILL');
});

test('gateway: a kill between the start and its answer starts nothing twice', async () => {
  const { stack, gateways } = chaos;
  const armed = await stack.addReplica('gateway', { BATUTA_FAULT: `gateway:after-start@${KILL_AT_PASS}` });
  const orders = await chaos.makeOrderProcess();
  gateways.targets = [armed.url, stack.gateway];
  gateways.dropConnections();
  expect(await orderUntilDead(orders, armed)).toBe('SIGKILL');
  expect((await chaos.check(orders)).violations).toEqual([]);
});

// The agent reconnects to another router within its lease and continues: no instance may be CRASHED.
test.each(['after-claim', 'after-offer', 'after-grant', 'mid-report', 'before-ack'])(
  `router: ${RULE}`,
  async (point) => {
    const armed = await chaos.stack.addReplica('router', { BATUTA_FAULT: `router:${point}@${KILL_AT_PASS}` });
    const orders = await chaos.makeOrderProcess();
    await chaos.moveAgent(steadyAgent, armed.url);
    expect(await orderUntilDead(orders, armed)).toBe('SIGKILL');
    expect((await chaos.check(orders)).violations).toEqual([]);
  },
);

// An instance that the dead agent was granted may have had its effect: it ends as CRASHED and never runs again.
test.each([
  ['after-accept', 0],
  ['after-grant', 1],
  ['mid-report', 1],
])(`agent: ${RULE}`, async (point, minCrashed) => {
  const name = `armed ${point}`;
  shortLeaseRouter ??= await chaos.stack.addReplica('router', SHORT_LEASE_SETTINGS);
  const env = { BATUTA_FAULT: `agent:${point}@${KILL_AT_PASS}`, BATUTA_AGENT_ISOLATION: 'process' };
  const armed = await chaos.joinAgent(name, env, shortLeaseRouter.url);
  const orders = await chaos.makeOrderProcess();
  expect(await orderUntilDead(orders, armed)).toBe('SIGKILL');
  const { endStates, violations } = await chaos.check(orders, (agent) => agent === name);
  expect(violations).toEqual([]);
  expect(endStates.filter(({ outcome }) => outcome === 'CRASHED').length).toBeGreaterThanOrEqual(minCrashed);
});

/**
 * Moves to a new company with an agent of this name, when no order has reached the armed replica of execution: which of the two replicas serves a
 * company depends on the ids of all three.
 */
async function moveToNewCompany(agent: string): Promise<void> {
  await chaos.moveToNewCompany();
  steadyAgent = agent;
  await chaos.joinAgent(agent);
}

/** Places orders until the program has died at its fault point, and returns the signal; throws if it does not die in time. */
async function orderUntilDead({ integrator }: OrderWorld, armed: Program | ServiceProcess): Promise<string | null> {
  await integrator.place(ORDER_COUNT);
  const deadline = Date.now() + KILL_TIME_LIMIT_MS;
  await integrator.placeUntil(() => !armed.isAlive || Date.now() > deadline, { concurrency: 2, pauseMs: 50 });
  if (armed.isAlive) throw new Error('The armed process did not come to its point');
  return (await armed.exited).signal;
}
