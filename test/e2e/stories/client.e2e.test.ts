import { Batuta, BatutaError, hasEnded } from '@batuta/client';
import { startWebServer } from '../../support/web-server';
import { LocalBatuta, type Demo } from '../support/stack/local-batuta';
import { until } from '../support/until';

// An integrator who has only the client package and .local/demo.json.

let local: LocalBatuta;
let demo: Demo;
let batuta: Batuta;
let slow: Awaited<ReturnType<typeof startSlowOrders>>;

beforeAll(async () => {
  slow = await startSlowOrders();
  local = await LocalBatuta.inNewFolder();
  await local.startAndWait();
  demo = await local.readDemo();
  batuta = new Batuta({ url: demo.gateway, credential: demo.credential });
});
afterAll(async () => {
  await slow?.stop();
  await local?.remove();
});

test('with only the client an integrator finds the processes to start', async () => {
  expect(await batuta.ping()).toMatchObject({ ok: true, version: '1' });
  expect(await batuta.me()).toMatchObject({ email: demo.owner.email, credLabel: 'Demo' });
  expect(await batuta.environments()).toEqual([
    expect.objectContaining({ environmentID: demo.environmentID, online: true }),
  ]);
  const [summary] = await batuta.processes();
  expect(summary).toMatchObject({ processID: demo.processID, owned: true, active: true });
  const process = batuta.process(demo.processID, demo.processKey);
  expect(await process.detail()).toMatchObject({ processName: summary?.processName, currentVersion: 1 });
  expect((await process.matrix()).map(({ name }) => name)).toContain('customer');
});

test('with only the client an integrator dry-runs, starts and follows an order to its end', async () => {
  const process = batuta.process(demo.processID, demo.processKey);
  const order = { matrix: { customer: 'Empório São João', freight: 'R$ 22,50' } };
  expect(await process.dryRun(order)).toMatchObject({ refusals: [], status: 'started', matrix: { freight: 22.5 } });

  const started = await process.start(order, { idempotencyKey: 'order-17' });
  expect(started.status).toBe('started');
  expect(await process.start(order, { idempotencyKey: 'order-17' })).toEqual({ ...started, replayed: true });

  const instance = batuta.instance(started.instanceID);
  const last = await instance.ended({ within: 120_000 });
  expect([last.status, last.errorMessage]).toEqual(['success', null]);
  expect(hasEnded(await instance.status())).toBe(true);
  expect((await instance.logs()).map(({ message }) => message).join('\n')).toContain('of Empório São João');
  expect((await process.executions({ limit: 10 })).map(({ instanceID }) => instanceID)).toEqual([started.instanceID]);
});

test('with only the client an integrator pauses, resumes and stops a long order', async () => {
  const process = batuta.process(demo.processID, demo.processKey);
  const { instanceID } = await process.start({ matrix: { ordersUrl: slow.url } });
  const instance = batuta.instance(instanceID);
  await until(async () => slow.asked(), Boolean);
  expect(await instance.status()).toMatchObject({ status: 'running', userName: 'Demo' });
  await instance.pause();
  await instance.resume();
  await instance.stop();
  expect(await instance.ended({ within: 120_000 })).toMatchObject({ status: 'stopped', savingsValue: 0 });
});

test('with only the client an integrator creates a schedule, switches it off and on, and removes it', async () => {
  const { schedules } = batuta;
  const plan = { name: 'Every morning', cronExpression: '0 8 * * MON-FRI', matrix: { customer: 'Padaria Aurora' } };
  const id = await schedules.create(demo.processKey, { ...plan, processID: demo.processID });
  await schedules.switchOff(id);
  const environmentID = demo.environmentID;
  expect(await schedules.list()).toEqual([expect.objectContaining({ id, ...plan, environmentID, active: false })]);
  await schedules.switchOn(id);
  expect(await schedules.list()).toEqual([expect.objectContaining({ id, active: true })]);
  await schedules.remove(id);
  expect(await schedules.list()).toEqual([]);
  const secret = { ...plan, processID: demo.processID, matrix: { token: 'x' } };
  await expect(schedules.create(demo.processKey, secret)).rejects.toMatchObject({ code: 'INVALID_MATRIX' });
});

test('with only the client an integrator learns the reason of a refusal', async () => {
  const process = batuta.process(demo.processID, demo.processKey);
  const { instanceID } = await process.start();
  const instance = batuta.instance(instanceID);
  await instance.ended({ within: 120_000 });
  const refusals = await Promise.all(
    [instance.stop(), process.start({ matrix: { freight: 'much' } }), batuta.process(demo.processID, 'x').detail()].map(
      (call) => call.catch((error: unknown) => error),
    ),
  );
  expect(refusals.map((error) => error instanceof BatutaError && [error.status, error.code])).toEqual([
    [409, 'INSTANCE_FINISHED'],
    [400, 'INVALID_MATRIX'],
    [401, 'INVALID_PROCESS_KEY'],
  ]);
  expect(String(refusals[1])).toContain('freight');
});

/** An orders system that takes orders and never answers. */
async function startSlowOrders() {
  let asked = false;
  const server = await startWebServer(() => {
    asked = true;
  });
  return { url: `${server.url}/orders`, asked: () => asked, stop: server.stop };
}
