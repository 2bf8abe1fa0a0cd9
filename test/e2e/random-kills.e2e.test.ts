import { ProvingGround } from './proving-ground';
import { killAtRandom, type Victim } from './random-kills';

const STORM_MS = 18_000;
const EVERY_MS = 500;
const AGENTS = ['first agent', 'second agent'];

jest.setTimeout(240_000);

let ground: ProvingGround;
let victims: Victim[];

beforeAll(async () => {
  ground = await ProvingGround.start({ replicas: { gateway: 2, execution: 2, router: 2 } });
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

test('whatever is killed under load: no accepted start is lost, none runs twice, and all recovers by itself', async () => {
  const orders = await ground.newOrders(0.3);
  let over = false;
  const storm = killAtRandom(victims, { everyMs: EVERY_MS, forMs: STORM_MS }).finally(() => (over = true));
  const [kills] = await Promise.all([
    storm,
    orders.integrator.placeUntil(() => over, { atOnce: 6, pauseMs: 50, stopEvery: 7 }),
  ]);
  expect(Math.min(...kills.values())).toBeGreaterThan(0);

  const { fates, complaints } = await ground.judge(orders, (agent) => AGENTS.includes(agent));
  expect(complaints).toEqual([]);
  expect(orders.integrator.stopped.size).toBeGreaterThan(0);
  expect(new Set(fates.map(({ status }) => status))).toContain('success');

  const afterwards = await ground.newOrders();
  await afterwards.integrator.place(20);
  expect((await ground.judge(afterwards)).complaints).toEqual([]);
});
