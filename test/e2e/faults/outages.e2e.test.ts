import type { TestServer } from '../../support/servers';
import { call, type Answer } from '../support/api';
import { statusOf } from '../support/instances';
import { isDeepStrictEqual } from 'node:util';
import { HASTY, ProvingGround, type Orders } from '../support/chaos-stack';
import type { ServiceProcess } from '../support/service-process';
import { until } from '../support/until';

// NATS and the database are taken away from under running services, and come back at the same address.

/** Longer than any service may keep a caller waiting, far shorter than a call that hangs. */
const PROMPT_MS = 30_000;
const CAPACITY = 2;

let ground: ProvingGround;
let services: ServiceProcess[];
/** What the agent runs under it is soon given up when the database is away. */
let hasty: ServiceProcess;

beforeAll(async () => {
  ground = await ProvingGround.start({ ownMariadb: true, capacity: CAPACITY });
  hasty = await ground.stack.addReplica('router', HASTY);
  services = Object.values(ground.stack.services).flat();
  await ground.joinAgent('steady');
  await ground.runCalmly();
});

afterAll(() => ground?.stop());

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });
const UNAVAILABLE = refusal(503, 'UNAVAILABLE');

// Killed, its connections break; hung, they stay and nobody answers.
const OUTAGES: [name: string, begin: (server: TestServer) => unknown, end: (server: TestServer) => unknown][] = [
  ['killed', (server) => server.takeAway(), (server) => server.bringBack()],
  ['hanging', (server) => server.pause(), (server) => server.resume()],
];

test.each(OUTAGES)(
  'NATS %s: refuses promptly, says so in readiness, recovers by itself and runs what was queued',
  async (_name, begin, end) => {
    const { nats } = ground.stack;
    const orders = await halfDone();
    const others = await orderMeanwhile(async () => {
      await begin(nats);
      ground.effects.release();
      await expectAway(orders, { start: refusal(502, 'ROUTER_ERROR'), parts: { database: true, nats: false } });
      await end(nats);
      await expectReady();
    });
    // Router and agent never lost each other: nothing may have crashed.
    expect((await ground.judge(orders)).complaints).toEqual([]);
    expect((await ground.judge(others)).complaints).toEqual([]);
  },
);

test.each(OUTAGES)(
  'the database %s: refuses promptly, says so in readiness, recovers by itself and runs nothing twice',
  async (_name, begin, end) => {
    const mariadb = mariadbOf(ground);
    await ground.moveAgent('steady', hasty.url);
    const orders = await halfDone();
    const others = await orderMeanwhile(async () => {
      await begin(mariadb);
      ground.effects.release();
      // Who calls cannot even be looked up.
      await expectAway(orders, { start: UNAVAILABLE, parts: { database: false, nats: true } });
      await end(mariadb);
      await expectReady();
    });
    // Leases could not be renewed: what ran may have been given up, by its agent first.
    expect((await ground.judge(orders, () => true)).complaints).toEqual([]);
    expect((await ground.judge(others, () => true)).complaints).toEqual([]);

    await ground.moveAgent('steady', ground.stack.router);
    const afterwards = await ground.newOrders();
    await afterwards.integrator.place(5);
    expect((await ground.judge(afterwards)).complaints).toEqual([]);
  },
);

/** Third parties place orders all the while, and until after it. */
async function orderMeanwhile(outage: () => Promise<void>): Promise<Orders> {
  const orders = await ground.newOrders();
  const { integrator } = orders;
  let over = false;
  const inTheMidst = until(
    () => Promise.resolve(integrator.accepted.size),
    (count) => count >= 5,
  );
  await Promise.all([
    inTheMidst.then(outage).finally(() => (over = true)),
    integrator.placeUntil(() => over, { atOnce: 4, pauseMs: 100 }),
  ]);
  await integrator.place(CAPACITY);
  return orders;
}

/** Orders of which some are in the midst of their effect, until it is released, and as many are still queued. */
async function halfDone(): Promise<Orders> {
  ground.effects.hold();
  const orders = await ground.newOrders(1.5);
  await orders.integrator.place(2 * CAPACITY);
  const { accepted } = orders.integrator;
  await until(
    () => Promise.resolve([...accepted.values()].filter((id) => ground.effects.orders.has(id))),
    ({ length }) => length === CAPACITY,
  );
  expect((await statusesOf(orders)).toSorted()).toEqual([
    ...Array(CAPACITY).fill('queued'),
    ...Array(CAPACITY).fill('running'),
  ]);
  return orders;
}

async function expectAway(
  { process, integrator }: Orders,
  { start, parts }: { start: object; parts: object },
): Promise<void> {
  const [instanceID] = integrator.accepted.values();
  const away = services.map(() => ({ status: 503, body: { ok: false, parts } }));
  const [started, read, ping, ready, live] = await Promise.all([
    promptly(process.start({ matrix: { order: 'refused' } })),
    promptly(process.owner.api('GET', `/instances/${instanceID}`, { once: true })),
    promptly(process.owner.api('GET', '/ping')),
    // A part that is there but slow for a moment counts as away in that moment.
    until(
      () => ofAll('/health/ready'),
      (all) => isDeepStrictEqual(all, away),
    ),
    ofAll('/health/live'),
  ]);
  expect(started).toMatchObject(start);
  expect(read).toMatchObject(UNAVAILABLE);
  expect(ping.status).toBe(200);
  expect(ready).toEqual(away);
  expect(live).toEqual(services.map(() => ({ status: 200, body: { ok: true } })));
}

async function expectReady(): Promise<void> {
  const ready = services.map(() => ({ status: 200, body: { ok: true, parts: { database: true, nats: true } } }));
  const answers = await until(
    () => ofAll('/health/ready'),
    (all) => all.every(({ status }) => status === 200),
  );
  expect(answers).toEqual(ready);
}

function ofAll(path: string): Promise<Pick<Answer, 'status' | 'body'>[]> {
  return Promise.all(
    services.map(async ({ url }) => {
      const { status, body } = await promptly(call('GET', url + path, { once: true }));
      return { status, body };
    }),
  );
}

/** The answer, unless it is too long in coming. */
async function promptly(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PROMPT_MS} ms`)), PROMPT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function statusesOf({ process, integrator }: Orders): Promise<string[]> {
  const bodies = await Promise.all([...integrator.accepted.values()].map((id) => statusOf(process.owner, id)));
  return bodies.map(({ status }) => status);
}

function mariadbOf({ stack: { mariadb } }: ProvingGround): TestServer {
  if (!mariadb) throw new Error('The stack has no database of its own');
  return mariadb;
}
