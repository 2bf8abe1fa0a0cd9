import { ProvingGround } from '../support/chaos-stack';
import { atRandom, hung, killed, LEASE, type Fault, type Victim } from '../support/fault-injection';

// Two of everything under load, and faults at no chosen moment: what the named points do not hit, these may.

const AGENTS = ['first agent', 'second agent'];

let ground: ProvingGround;
let victims: Victim[];

beforeAll(async () => {
  ground = await ProvingGround.start({ replicas: { gateway: 2, execution: 2, router: 2 }, router: LEASE });
  const { stack, gateways, routers } = ground;
  gateways.inTurn = true;
  routers.inTurn = true;
  const agents: Victim[] = [];
  for (const name of AGENTS) agents.push({ name, program: await ground.joinAgent(name) });
  const services = (['gateway', 'execution', 'router'] as const).flatMap((name) =>
    stack.services[name].map((program, index) => ({ name: `${name} ${index + 1}`, program })),
  );
  victims = [...services, ...agents];
  await ground.runCalmly();
});

afterAll(() => ground?.stop());

test.each<[string, Fault, { everyMs: number; forMs: number }]>([
  ['killed', killed, { everyMs: 500, forMs: 18_000 }],
  ['hung for a while', hung, { everyMs: 1_000, forMs: 16_000 }],
])(
  'whatever is %s: no accepted start is lost, none runs twice, and all recovers by itself',
  async (_name, fault, rhythm) => {
    const orders = await ground.newOrders(0.2);
    let over = false;
    const [times] = await Promise.all([
      atRandom(fault, victims, rhythm).finally(() => (over = true)),
      orders.integrator.placeUntil(() => over && orders.integrator.stopped.size > 0, {
        atOnce: 5,
        pauseMs: 100,
        stopEvery: 7,
      }),
    ]);
    expect(Math.min(...times.values())).toBeGreaterThan(0);
    // What comes when all is over need not be quicker than the faults.
    await orders.integrator.place(1);

    const { fates, complaints } = await ground.judge(orders, (agent) => AGENTS.includes(agent));
    expect(complaints).toEqual([]);
    expect(new Set(fates.map(({ status }) => status))).toContain('success');

    const afterwards = await ground.newOrders();
    await afterwards.integrator.place(20);
    expect((await ground.judge(afterwards)).complaints).toEqual([]);
  },
);
