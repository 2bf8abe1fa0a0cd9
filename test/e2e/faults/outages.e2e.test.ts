import type { TestServer } from '../../support/servers';
import { call, type HttpAnswer } from '../support/tenants/api';
import { statusOf } from '../support/tenants/instances';
import { isDeepStrictEqual } from 'node:util';
import { SHORT_LEASE_SETTINGS, ChaosStack, type OrderWorld } from '../support/faults/chaos-stack';
import type { Program } from '../support/stack/program';
import type { ServiceProcess } from '../support/stack/service-process';
import { until } from '../support/until';

// NATS and the database fail under running services and return at the same address.

/** Time limit of an answer: longer than a service takes to refuse a call, and much shorter than a call that hangs. */
const PROMPT_ANSWER_MS = 30_000;
const AGENT_CAPACITY = 2;
/** Duration of an outage: longer than a lease of `shortLeaseRouter`, even one that was renewed right before the outage. */
const OUTAGE_MS = 1_500 * Number(SHORT_LEASE_SETTINGS.LEASE_SECONDS);

let chaos: ChaosStack;
let services: ServiceProcess[];
/** A router whose leases are shorter than the outages. */
let shortLeaseRouter: ServiceProcess;
let steady: Program;

beforeAll(async () => {
  chaos = await ChaosStack.start({ ownMariadb: true, capacity: AGENT_CAPACITY, replicas: 'together' });
  shortLeaseRouter = await chaos.stack.addReplica('router', SHORT_LEASE_SETTINGS);
  services = Object.values(chaos.stack.services).flat();
  steady = await chaos.joinAgent('steady');
  await chaos.recordUndisturbedLog();
});

afterAll(() => chaos?.stop());

const REFUSED_UNAVAILABLE = { status: 503, body: { error: { code: 'UNAVAILABLE' } } };

// A killed server closes its connections; a paused one keeps them and does not answer.
const OUTAGES: [name: string, begin: (server: TestServer) => unknown, end: (server: TestServer) => unknown][] = [
  ['killed', (server) => server.kill(), (server) => server.startAgain()],
  ['paused', (server) => server.pause(), (server) => server.resume()],
];

test.each(OUTAGES)(
  'with NATS %s for longer than a lease the services refuse promptly, recover by themselves, and an agent that lost its connection keeps its instances',
  async (_name, begin, end) => {
    const { nats } = chaos.stack;
    await chaos.moveAgent('steady', shortLeaseRouter.url);
    const orders = await placeHalfDoneOrders();
    const others = await orderMeanwhile(async () => {
      await begin(nats);
      const began = performance.now();
      // Without NATS no session can be resumed.
      chaos.routers.dropConnections();
      chaos.effects.release();
      await expectUnavailable(orders, {
        // When NATS has taken the request, nobody knows whether execution has received it, and the refusal is UNAVAILABLE.
        start: { body: { error: { code: expect.stringMatching(/^(ROUTER_ERROR|UNAVAILABLE)$/) } } },
        parts: { database: true, nats: false },
      });
      await untilOutageIsLong(began);
      await end(nats);
      await expectReady();
    });
    expect((await chaos.check(orders)).violations).toEqual([]);
    expect((await chaos.check(others)).violations).toEqual([]);
  },
);

test.each(OUTAGES)(
  'with the database %s for longer than a lease the services refuse promptly, recover by themselves, run nothing twice, and no agent loses an instance',
  async (_name, begin, end) => {
    const mariadb = mariadbOf(chaos);
    await chaos.moveAgent('steady', shortLeaseRouter.url);
    const orders = await placeHalfDoneOrders();
    const others = await orderMeanwhile(async () => {
      await begin(mariadb);
      const began = performance.now();
      chaos.effects.release();
      // Without the database not even the credential can be checked.
      await expectUnavailable(orders, { start: REFUSED_UNAVAILABLE, parts: { database: false, nats: true } });
      await untilOutageIsLong(began);
      await end(mariadb);
      await expectReady();
    });
    expect((await chaos.check(orders)).violations).toEqual([]);
    expect((await chaos.check(others)).violations).toEqual([]);

    await chaos.moveAgent('steady', chaos.stack.router);
    const afterwards = await chaos.makeOrderProcess();
    await afterwards.integrator.place(5);
    expect((await chaos.check(afterwards)).violations).toEqual([]);
  },
);

test('the instances of an agent that dies while the database is paused end as crashed afterwards, and those that it had not begun run elsewhere', async () => {
  const mariadb = mariadbOf(chaos);
  await chaos.moveAgent('steady', shortLeaseRouter.url);
  const orders = await placeHalfDoneOrders();
  await mariadb.pause();
  await steady.kill();
  chaos.effects.release();
  await untilOutageIsLong(performance.now());
  mariadb.resume();
  await expectReady();
  chaos.routers.targets = [chaos.stack.router];
  await chaos.joinAgent('other');
  const { endStates, violations } = await chaos.check(orders, (agent) => agent === 'steady');
  expect(violations).toEqual([]);
  expect(endStates.map(({ outcome, effects }) => `${outcome} ${effects.length}`).toSorted()).toEqual([
    ...Array(AGENT_CAPACITY).fill('CRASHED 1'),
    ...Array(AGENT_CAPACITY).fill('FINALIZED 1'),
  ]);
});

async function untilOutageIsLong(began: number): Promise<void> {
  await until(
    () => Promise.resolve(performance.now() - began),
    (milliseconds) => milliseconds > OUTAGE_MS,
  );
}

/** Begins to place orders, runs `outage` once five are accepted, places orders until it has ended, and then a few more. */
async function orderMeanwhile(outage: () => Promise<void>): Promise<OrderWorld> {
  const orders = await chaos.makeOrderProcess();
  const { integrator } = orders;
  let over = false;
  const firstAccepted = until(
    () => Promise.resolve(integrator.accepted.size),
    (count) => count >= 5,
  );
  await Promise.all([
    firstAccepted.then(outage).finally(() => (over = true)),
    integrator.placeUntil(() => over, { concurrency: 4, pauseMs: 100 }),
  ]);
  await integrator.place(AGENT_CAPACITY);
  return orders;
}

/** Places orders; half of them wait for the answer to their effect, and the other half are queued. */
async function placeHalfDoneOrders(): Promise<OrderWorld> {
  chaos.effects.hold();
  const orders = await chaos.makeOrderProcess(1.5);
  await orders.integrator.place(2 * AGENT_CAPACITY);
  const { accepted } = orders.integrator;
  await until(
    () => Promise.resolve([...accepted.values()].filter((id) => chaos.effects.orders.has(id))),
    ({ length }) => length === AGENT_CAPACITY,
  );
  expect((await statusesOf(orders)).toSorted()).toEqual([
    ...Array(AGENT_CAPACITY).fill('queued'),
    ...Array(AGENT_CAPACITY).fill('running'),
  ]);
  return orders;
}

async function expectUnavailable(
  { process, integrator }: OrderWorld,
  { start, parts }: { start: object; parts: object },
): Promise<void> {
  const [instanceID] = integrator.accepted.values();
  const away = services.map(() => ({ status: 503, body: { ok: false, parts } }));
  const [started, read, ping, ready, live] = await Promise.all([
    expectPromptAnswer(process.start({ matrix: { order: 'refused' } })),
    expectPromptAnswer(process.owner.api('GET', `/instances/${instanceID}`, { once: true })),
    expectPromptAnswer(process.owner.api('GET', '/ping')),
    // For a moment a server that answers slowly can make another part unready too, so the test asks until only the expected one is.
    until(
      () => askAllReplicas('/health/ready'),
      (all) => isDeepStrictEqual(all, away),
    ),
    askAllReplicas('/health/live'),
  ]);
  expect(started).toMatchObject(start);
  expect(read).toMatchObject(REFUSED_UNAVAILABLE);
  expect(ping.status).toBe(200);
  expect(ready).toEqual(away);
  expect(live).toEqual(services.map(() => ({ status: 200, body: { ok: true } })));
}

async function expectReady(): Promise<void> {
  const ready = services.map(() => ({ status: 200, body: { ok: true, parts: { database: true, nats: true } } }));
  const answers = await until(
    () => askAllReplicas('/health/ready'),
    (all) => all.every(({ status }) => status === 200),
  );
  expect(answers).toEqual(ready);
}

function askAllReplicas(path: string): Promise<Pick<HttpAnswer, 'status' | 'body'>[]> {
  return Promise.all(
    services.map(async ({ url }) => {
      const { status, body } = await expectPromptAnswer(call('GET', url + path, { once: true }));
      return { status, body };
    }),
  );
}

/** Resolves to the answer; throws when it takes too long. */
async function expectPromptAnswer(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PROMPT_ANSWER_MS} ms`)), PROMPT_ANSWER_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function statusesOf({ process, integrator }: OrderWorld): Promise<string[]> {
  const bodies = await Promise.all([...integrator.accepted.values()].map((id) => statusOf(process.owner, id)));
  return bodies.map(({ status }) => status);
}

function mariadbOf({ stack: { mariadb } }: ChaosStack): TestServer {
  if (!mariadb) throw new Error('The stack has no database of its own');
  return mariadb;
}
