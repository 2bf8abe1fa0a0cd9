import { makeProcess } from '../support/tenants/factories';
import { statusOf, untilStatus } from '../support/tenants/instances';
import { ChaosStack, type PlacedOrders } from '../support/faults/chaos-stack';
import { effectFlow, ORDER_MATRIX } from '../support/faults/effect-counter';
import { Integrator } from '../support/faults/integrator';
import type { Program } from '../support/stack/program';
import type { ServiceName, ServiceProcess } from '../support/stack/service-process';
import { until } from '../support/until';

// Two replicas of each service except schedule and webhook, in separate processes; the metrics of a replica show its work.

const METRIC_NAMES: Partial<Record<ServiceName, string[]>> = {
  gateway: ['gateway_starts_total'],
  execution: ['starts_accepted', 'instances_claimed', 'reports', 'instances_ended'].map(
    (what) => `batuta_${what}_total`,
  ),
  router: ['offers', 'grants', 'reports'].map((what) => `batuta_router_${what}_total`),
  console: ['console_http_seconds_count'],
};

/** The services that a start passes through on its way to the agent. */
const SERVICES_ON_PATH_OF_START: ServiceName[] = ['gateway', 'execution', 'router'];

let chaos: ChaosStack;
/** The first and the second replica of each service in SERVICES_ON_PATH_OF_START. */
let firsts: ServiceProcess[];
let seconds: ServiceProcess[];
const urlsOf = (replicas: ServiceProcess[], service: ServiceName) =>
  replicas.filter(({ name }) => name === service).map(({ url }) => url);

beforeAll(async () => {
  const replicas = { gateway: 2, execution: 2, router: 2, console: 2, schedule: 0, webhook: 0 };
  chaos = await ChaosStack.start({ replicas });
  const replica = (index: number) =>
    SERVICES_ON_PATH_OF_START.flatMap((name) => chaos.stack.services[name].slice(index, index + 1));
  firsts = replica(0);
  seconds = replica(1);
});

afterAll(() => chaos?.stop());

test('both replicas of every service take part in the work', async () => {
  const { stack, gateways, routers } = chaos;
  gateways.roundRobin = true;
  routers.roundRobin = true;
  const agents = await Promise.all(
    stack.services.router.map(({ url }, index) => chaos.joinAgent(`agent ${index + 1}`, {}, url)),
  );
  await chaos.recordUndisturbedLog();
  for (const { url } of stack.services.console.slice(1)) {
    const process = await makeProcess({ console: url, gateway: gateways.url, operator: stack.operator });
    expect(await process.start()).toMatchObject({ status: 202, body: { status: 'queued' } });
  }

  // Chance selects the replica, except that one company has only one of execution, so orders of companies at both continue until each replica
  // has done each kind of work.
  const orders = await chaos.makeOrderProcess();
  const others = await ordersAtIdleReplica();
  agents.push(await joinAgentOf(others));
  const done = await until(
    async () => {
      await Promise.all([orders.integrator.place(10), others.integrator.place(10)]);
      return metricsOfReplicas();
    },
    (all) => all.every(({ value }) => value > 0),
  );
  expect(done).toHaveLength(18);
  expect((await chaos.check(orders)).violations).toEqual([]);
  await Promise.all(agents.map((agent) => agent.end()));
});

test('an instance accepted by one set of replicas is handed out, run and reported by the other', async () => {
  const { gateways, routers } = chaos;
  await Promise.all(seconds.map((replica) => replica.end()));
  gateways.targets = urlsOf(firsts, 'gateway');
  const orders = await chaos.makeOrderProcess();
  await orders.integrator.place(5);
  const [instanceID = ''] = orders.integrator.accepted.values();
  // A claim for an agent that has just disconnected may hold the instance until the claim expires.
  await untilStatus(orders.process.owner, instanceID, 'queued');

  await Promise.all(seconds.map((replica) => replica.startAgain()));
  await Promise.all(firsts.map((replica) => replica.end()));
  gateways.targets = urlsOf(seconds, 'gateway');
  routers.targets = urlsOf(seconds, 'router');
  const agent = await chaos.joinAgent('late');
  expect((await chaos.check(orders)).violations).toEqual([]);
  expect(await statusOf(orders.process.owner, instanceID)).toMatchObject({ status: 'success' });
  await agent.end();
  await Promise.all(firsts.map((replica) => replica.startAgain()));
});

test('an agent that moves to another router and back continues its instances', async () => {
  const { gateways, routers, effects, stack } = chaos;
  const [first, second] = stack.services.router;
  const [, otherGateway] = stack.services.gateway;
  if (!first || !second || !otherGateway) throw new Error('There are two replicas of each');
  gateways.targets = urlsOf(firsts, 'gateway');
  gateways.dropConnections();
  routers.targets = [second.url];
  const agent = await chaos.joinAgent('moving');
  const atSecond = await chaos.connected('moving');
  const orders = await chaos.makeOrderProcess();
  const startsElsewhere = await otherGateway.metric('gateway_starts_total');
  effects.hold();
  await orders.integrator.place(5);
  // Each instance waits for the answer to its effect, which the test releases later.
  const booked = () => [...orders.integrator.accepted.values()].filter((id) => effects.orders.has(id)).length;
  await until(
    () => Promise.resolve(booked()),
    (count) => count === 5,
  );
  expect(await statusesOf(orders)).toEqual(Array(5).fill('running'));
  expect(await otherGateway.metric('gateway_starts_total')).toBe(startsElsewhere);
  expect(await first.metric('batuta_router_offers_total')).toBe(0);

  routers.targets = [first.url];
  routers.dropConnections();
  const atFirst = await chaos.connected('moving', { previous: atSecond });
  effects.release(2);
  await until(
    () => first.metric('batuta_router_reports_total'),
    (reports) => reports > 0,
  );

  const reportsBefore = await second.metric('batuta_router_reports_total');
  routers.targets = [second.url];
  await first.end();
  await chaos.connected('moving', { previous: atFirst });
  effects.release();
  expect((await chaos.check(orders)).violations).toEqual([]);
  expect(await second.metric('batuta_router_reports_total')).toBeGreaterThan(reportsBefore);
  await agent.end();
});

/** The metrics of each replica. */
/** Orders of another company, whose requests go to the replica of execution that has handed out nothing yet. */
async function ordersAtIdleReplica(): Promise<PlacedOrders> {
  const { stack, gateways, effects } = chaos;
  const claimed = await Promise.all(
    stack.services.execution.map((replica) => replica.metric('batuta_instances_claimed_total')),
  );
  const idle = stack.services.execution[claimed.indexOf(0)];
  const world = { console: stack.console, gateway: gateways.url, operator: stack.operator };
  return until(
    async () => {
      const process = await makeProcess(world, { matrix: ORDER_MATRIX, flow: effectFlow(effects) });
      const integrator = new Integrator(process);
      const before = await idle?.metric('batuta_starts_accepted_total');
      await integrator.place(1);
      const isThere = idle === undefined || (await idle.metric('batuta_starts_accepted_total')) !== before;
      return { isThere, process, integrator };
    },
    ({ isThere }) => isThere,
  );
}

async function joinAgentOf({ process }: PlacedOrders): Promise<Program> {
  const { activationKey } = process.environment;
  const env = { BATUTA_AGENT_NAME: 'other company' };
  const agent = await chaos.stack.startAgent({ activationKey, router: chaos.routers.url, env });
  await chaos.connected('other company');
  return agent;
}

function metricsOfReplicas(): Promise<{ replica: string; metric: string; value: number }[]> {
  return Promise.all(
    Object.values(chaos.stack.services)
      .flat()
      .flatMap((replica) =>
        (METRIC_NAMES[replica.name] ?? []).map(async (metric) => ({
          replica: `${replica.name} at ${replica.url}`,
          metric,
          value: await replica.metric(metric),
        })),
      ),
  );
}

async function statusesOf({ process, integrator }: PlacedOrders): Promise<string[]> {
  const bodies = await Promise.all([...integrator.accepted.values()].map((id) => statusOf(process.owner, id)));
  return bodies.map(({ status }) => status);
}
