import { ChaosStack } from '../support/faults/chaos-stack';
import {
  injectAtRandom,
  hangFault,
  killFault,
  LEASE_FOR_HANGS,
  type FaultInjector,
  type FaultTarget,
} from '../support/faults/fault-injection';

// Two replicas of each service under load, with faults at random moments, which may hit code between the named fault points.

const AGENT_NAMES = ['first agent', 'second agent'];
/** Pause of each of five callers; together they keep an agent at its capacity, and more orders would only wait in the queue. */
const PAUSE_MS = 250;

let chaos: ChaosStack;
let faultTargets: FaultTarget[];

beforeAll(async () => {
  const replicas = { gateway: 2, execution: 2, router: 2, schedule: 0, webhook: 0 };
  chaos = await ChaosStack.start({ replicas, router: LEASE_FOR_HANGS });
  const { stack, gateways, routers } = chaos;
  gateways.roundRobin = true;
  routers.roundRobin = true;
  const agents: FaultTarget[] = [];
  for (const name of AGENT_NAMES) agents.push({ name, program: await chaos.joinAgent(name) });
  const services = (['gateway', 'execution', 'router'] as const).flatMap((name) =>
    stack.services[name].map((program, index) => ({ name: `${name} ${index + 1}`, program })),
  );
  faultTargets = [...services, ...agents];
  await chaos.recordUndisturbedLog();
});

afterAll(() => chaos?.stop());

test.each<[string, FaultInjector, { everyMs: number; forMs: number }]>([
  ['killed', killFault, { everyMs: 500, forMs: 18_000 }],
  ['paused', hangFault, { everyMs: 1_000, forMs: 16_000 }],
])(
  'programs %s at random lose no accepted start, run none twice, and recover by themselves',
  async (_name, fault, rhythm) => {
    const orders = await chaos.makeOrderProcess(0.2);
    let over = false;
    const [times] = await Promise.all([
      injectAtRandom(fault, faultTargets, rhythm).finally(() => (over = true)),
      orders.integrator.placeUntil(() => over && orders.integrator.stopped.size > 0, {
        concurrency: 5,
        pauseMs: PAUSE_MS,
        stopEvery: 7,
      }),
    ]);
    expect(Math.min(...times.values())).toBeGreaterThan(0);
    // The last order is placed after the faults, so that none of them can end its instance.
    await orders.integrator.place(1);

    const { endStates, violations } = await chaos.check(orders, (agent) => AGENT_NAMES.includes(agent));
    expect(violations).toEqual([]);
    expect(new Set(endStates.map(({ status }) => status))).toContain('success');

    const afterwards = await chaos.makeOrderProcess();
    await afterwards.integrator.place(20);
    expect((await chaos.check(afterwards)).violations).toEqual([]);
  },
);
