import { makeProcess } from '../support/tenants/factories';
import { statusOf, untilStatus } from '../support/tenants/instances';
import { ChaosStack, type OrderWorld } from '../support/faults/chaos-stack';
import type { ServiceName, ServiceProcess } from '../support/stack/service-process';
import { until } from '../support/until';

// Two replicas of each service except schedule and webhook, in separate processes; the metrics of a replica show its work.

const METRIC_NAMES: Partial<Record<ServiceName, string[]>> = {
  gateway: ['gateway_starts_total'],
  execution: ['batuta_starts_accepted_total'],
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

test('both replicas of every service take part in the work of several companies, and one replica of execution accepts all starts of a company', async () => {
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

  // Chance selects the replica, so work continues until each replica has done each kind of it.
  const orders = await chaos.makeOrderProcess();
  const acceptingReplicas: number[] = [];
  const done = await until(
    async () => {
      await orders.integrator.place(10);
      acceptingReplicas.push(await countReplicasThatAcceptStarts());
      return metricsOfReplicas();
    },
    // A gateway that has not yet received the notifications of the replicas sends its first starts to any.
    (all) => all.every(({ value }) => value > 0) && acceptingReplicas.slice(-3).join() === '1,1,1',
  );
  // Six metrics, each of two replicas.
  expect(done).toHaveLength(12);
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
  const atSecond = await chaos.untilConnected('moving');
  const orders = await chaos.makeOrderProcess();
  const startsElsewhere = await otherGateway.readMetric('gateway_starts_total');
  effects.hold();
  await orders.integrator.place(5);
  // Each instance waits for the answer to its effect, which the test releases later.
  const countEffects = () => [...orders.integrator.accepted.values()].filter((id) => effects.orders.has(id)).length;
  await until(
    () => Promise.resolve(countEffects()),
    (count) => count === 5,
  );
  expect(await statusesOf(orders)).toEqual(Array(5).fill('running'));
  expect(await otherGateway.readMetric('gateway_starts_total')).toBe(startsElsewhere);
  expect(await first.readMetric('batuta_router_offers_total')).toBe(0);

  routers.targets = [first.url];
  routers.dropConnections();
  const atFirst = await chaos.untilConnected('moving', { previous: atSecond });
  effects.release(2);
  await until(
    () => first.readMetric('batuta_router_reports_total'),
    (reports) => reports > 0,
  );

  const reportsBefore = await second.readMetric('batuta_router_reports_total');
  routers.targets = [second.url];
  await first.end();
  await chaos.untilConnected('moving', { previous: atFirst });
  effects.release();
  expect((await chaos.check(orders)).violations).toEqual([]);
  expect(await second.readMetric('batuta_router_reports_total')).toBeGreaterThan(reportsBefore);
  await agent.end();
});

/** The metrics in METRIC_NAMES, one entry for each replica and metric. */
function metricsOfReplicas(): Promise<{ replica: string; metric: string; value: number }[]> {
  return Promise.all(
    Object.values(chaos.stack.services)
      .flat()
      .flatMap((replica) =>
        (METRIC_NAMES[replica.name] ?? []).map(async (metric) => ({
          replica: `${replica.name} at ${replica.url}`,
          metric,
          value: await replica.readMetric(metric),
        })),
      ),
  );
}

/** The number of replicas of execution that accept ten starts of a new company. */
async function countReplicasThatAcceptStarts(): Promise<number> {
  const { stack, gateways } = chaos;
  const process = await makeProcess({ console: stack.console, gateway: gateways.url, operator: stack.operator });
  const before = await startsAcceptedByReplica();
  for (let count = 0; count < 10; count += 1) expect(await process.start()).toMatchObject({ status: 202 });
  const after = await startsAcceptedByReplica();
  return after.filter((count, index) => count > (before[index] ?? 0)).length;
}

function startsAcceptedByReplica(): Promise<number[]> {
  return Promise.all(
    chaos.stack.services.execution.map((replica) => replica.readMetric('batuta_starts_accepted_total')),
  );
}

async function statusesOf({ process, integrator }: OrderWorld): Promise<string[]> {
  const bodies = await Promise.all([...integrator.accepted.values()].map((id) => statusOf(process.owner, id)));
  return bodies.map(({ status }) => status);
}
