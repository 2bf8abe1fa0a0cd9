import { Batuta, BatutaError, hasEnded } from '@batuta/client';
import { LocalBatuta, type Demo } from './local-batuta';

// Someone who has the client, and .local/demo.json, and nothing else.

let local: LocalBatuta;
let demo: Demo;
let batuta: Batuta;

beforeAll(async () => {
  local = await LocalBatuta.inNewFolder();
  await local.startAndWait();
  demo = await local.demo();
  batuta = new Batuta({ url: demo.gateway, credential: demo.credential });
}, 180_000);
afterAll(() => local?.remove(), 90_000);

test('the client alone finds what there is to start', async () => {
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

test('the client alone tries, starts and follows an order to its end', async () => {
  const process = batuta.process(demo.processID, demo.processKey);
  const order = { matrix: { customer: 'Empório São João', freight: 'R$ 22,50' } };
  expect(await process.dryRun(order)).toMatchObject({ refusals: [], status: 'started', matrix: { freight: 22.5 } });

  const started = await process.start(order, { idempotencyKey: 'order-17' });
  expect(started.status).toBe('started');
  expect(await process.start(order, { idempotencyKey: 'order-17' })).toEqual({ ...started, replayed: true });

  const instance = batuta.instance(started.instanceID);
  const last = await instance.ended({ within: 30_000 });
  expect([last.status, last.errorMessage]).toEqual(['success', null]);
  expect(hasEnded(await instance.status())).toBe(true);
  expect((await instance.logs()).map(({ message }) => message).join('\n')).toContain('of Empório São João');
  expect((await process.executions({ limit: 10 })).map(({ instanceID }) => instanceID)).toEqual([started.instanceID]);
});

test('the client alone learns why something is refused', async () => {
  const process = batuta.process(demo.processID, demo.processKey);
  const { instanceID } = await process.start();
  const instance = batuta.instance(instanceID);
  await instance.ended({ within: 30_000 });
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
