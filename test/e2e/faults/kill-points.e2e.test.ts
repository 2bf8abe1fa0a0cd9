import type { Program } from '../support/program';
import { HASTY, ProvingGround, type Orders } from '../support/chaos-stack';
import type { ServiceProcess } from '../support/service-process';

// Kills as hard as a power cut, in the midst of work, in separate processes. Whatever dies, and wherever it stands in its
// work: what was accepted reaches an end, nothing has its effect twice, and the credits add up.

const ORDERS = 40;
/** The named point takes its process down at this pass, so that it dies with work in its hands. */
const PASS = 3;
const PATIENCE_MS = 90_000;

let ground: ProvingGround;
/** For agents that are given up. */
let hasty: ServiceProcess | undefined;

beforeAll(async () => {
  // An agent takes a connection for good, and comes back at once after the next kill, when it has heard a heartbeat.
  ground = await ProvingGround.start({ router: { HEARTBEAT_SECONDS: '2' } });
  await ground.joinAgent('steady');
  await ground.runCalmly();
});

afterAll(() => ground?.stop());

const rule = 'a kill at %s loses no accepted start and runs none twice';

test.each(['after-commit', 'after-claim', 'after-grant', 'mid-report'])(`execution: ${rule}`, async (point) => {
  const doomed = await ground.stack.addReplica('execution', { BATUTA_FAULT: `execution:${point}@${PASS}` });
  const orders = await ground.newOrders();
  expect(await orderUntilDead(orders, doomed)).toBe('SIGKILL');
  expect((await ground.judge(orders)).complaints).toEqual([]);
});

test('gateway: a kill after the start, before its answer, starts nothing twice', async () => {
  const { stack, gateways } = ground;
  const doomed = await stack.addReplica('gateway', { BATUTA_FAULT: `gateway:after-start@${PASS}` });
  const orders = await ground.newOrders();
  gateways.targets = [doomed.url, stack.gateway];
  gateways.cut();
  expect(await orderUntilDead(orders, doomed)).toBe('SIGKILL');
  expect((await ground.judge(orders)).complaints).toEqual([]);
});

// The agent comes back through another router within its lease and goes on: not even a crash is allowed.
test.each(['after-claim', 'after-offer', 'after-grant', 'mid-report', 'before-ack'])(
  `router: ${rule}`,
  async (point) => {
    const doomed = await ground.stack.addReplica('router', { BATUTA_FAULT: `router:${point}@${PASS}` });
    const orders = await ground.newOrders();
    await ground.moveAgent('steady', doomed.url);
    expect(await orderUntilDead(orders, doomed)).toBe('SIGKILL');
    expect((await ground.judge(orders)).complaints).toEqual([]);
  },
);

// What the dead agent had been granted may have had its effect: it ends as lost, and never runs again.
test.each([
  ['after-accept', 0],
  ['after-grant', 1],
  ['mid-report', 1],
])(`agent: ${rule}`, async (point, leastLost) => {
  const name = `doomed ${point}`;
  hasty ??= await ground.stack.addReplica('router', HASTY);
  const doomed = await ground.joinAgent(name, { BATUTA_FAULT: `agent:${point}@${PASS}` }, hasty.url);
  const orders = await ground.newOrders();
  expect(await orderUntilDead(orders, doomed)).toBe('SIGKILL');
  const { fates, complaints } = await ground.judge(orders, (agent) => agent === name);
  expect(complaints).toEqual([]);
  expect(fates.filter(({ outcome }) => outcome === 'CRASHED').length).toBeGreaterThanOrEqual(leastLost);
});

/** Orders until the armed process has died at its point, and by what; the test is worth nothing unless it does. */
async function orderUntilDead({ integrator }: Orders, doomed: Program | ServiceProcess): Promise<string | null> {
  await integrator.place(ORDERS);
  const deadline = Date.now() + PATIENCE_MS;
  await integrator.placeUntil(() => !doomed.isAlive || Date.now() > deadline, { atOnce: 2, pauseMs: 50 });
  if (doomed.isAlive) throw new Error('The armed process did not come to its point');
  return (await doomed.exited).signal;
}
