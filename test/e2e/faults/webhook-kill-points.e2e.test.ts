import { randomUUID } from 'node:crypto';
import { makeEnvironment } from '../support/factories';
import { startGate, type Gate } from '../support/barrier';
import { ANSWER, ANSWERING, answeringBehind, HookTarget } from '../support/webhook-target';
import { HASTY, ProvingGround } from '../support/chaos-stack';
import type { ServiceName } from '../support/service-process';
import { until } from '../support/until';

// kill -9 while callers wait for the answer of their process: the execution goes on, its answer is stored, the same key
// gets the same instance, and no waiting place is lost.

const PATIENCE_MS = 90_000;

let ground: ProvingGround;
let gate: Gate;
/** Answers when the gate lets it. */
let slow: HookTarget;
let quick: HookTarget;

beforeAll(async () => {
  ground = await ProvingGround.start();
  await ground.joinAgent('steady');
  gate = await startGate();
  slow = await HookTarget.on(ground, answeringBehind(gate), { waitSeconds: 120 });
  quick = await HookTarget.on(ground, ANSWERING, { waitSeconds: 30 });
});

afterAll(async () => {
  await gate?.stop();
  await ground?.stop();
});

/** A call whose instance runs and cannot answer before the gate opens. */
function callBeforeGate() {
  gate.shut();
  return slow.callUnderWay();
}

test.each<ServiceName>(['webhook', 'execution', 'router'])(
  'a kill of %s: the caller gets the answer of its process all the same',
  async (name) => {
    const call = await callBeforeGate();
    const [victim] = ground.stack.services[name];
    await victim?.kill();
    await victim?.startAgain();
    gate.open();
    const { status, body, instanceID } = await call.answer;
    expect([status, body, instanceID]).toEqual([201, ANSWER, call.instanceID]);
    await expectAllIsWell(slow, call);
  },
);

test('a kill of the gateway: the caller is cut off, and the same key gets the instance with its answer', async () => {
  const call = await callBeforeGate();
  const [victim] = ground.stack.services.gateway;
  await victim?.kill();
  await expect(call.answer).rejects.toThrow('fetch failed');
  await victim?.startAgain();
  gate.open();
  await expectAllIsWell(slow, call);
});

test('a gateway that is told to stop lets its callers have their answers', async () => {
  const call = await callBeforeGate();
  const [leaving] = ground.stack.services.gateway;
  const gone = leaving?.end();
  await until(
    () =>
      fetch(`${leaving?.url}/health/live`).then(
        () => 'listening',
        () => 'leaving',
      ),
    (it) => it === 'leaving',
  );
  gate.open();
  expect(await call.answer).toMatchObject({ status: 201, body: ANSWER });
  await gone;
  await leaving?.startAgain();
  await expectAllIsWell(slow, call);
});

test('NATS away while they wait: they get their answers when it is back', async () => {
  const call = await callBeforeGate();
  await ground.stack.nats.takeAway();
  await ground.stack.nats.bringBack();
  gate.open();
  expect(await call.answer).toMatchObject({ status: 201, body: ANSWER });
  await expectAllIsWell(slow, call);
});

test.each<[service: ServiceName, point: string]>([
  ['webhook', 'before-start'],
  ['webhook', 'after-start'],
  ['webhook', 'after-wait'],
  ['gateway', 'after-hook-start'],
  ['gateway', 'waiting'],
  ['execution', 'after-commit'],
  ['execution', 'mid-report'],
  ['router', 'mid-report'],
])('a kill of %s at %s: each call starts once and has its answer', async (service, point) => {
  const { stack, gateways } = ground;
  const before = await quick.instances();
  const doomed = await stack.addReplica(service, { BATUTA_FAULT: `${service}:${point}` });
  if (service === 'gateway') {
    gateways.targets = [doomed.url, stack.gateway];
    gateways.cut();
  }
  if (service === 'router') await ground.moveAgent('steady', doomed.url);
  const keys: string[] = [];
  const deadline = Date.now() + PATIENCE_MS;
  while (doomed.isAlive && Date.now() < deadline) {
    const key = randomUUID();
    keys.push(key);
    await quick.callUntilAnswered(key);
    // The next call needs a place anew.
    await quick.placesFree();
  }
  expect([doomed.isAlive, (await doomed.exited).signal]).toEqual([false, 'SIGKILL']);
  expect(await quick.instances()).toHaveLength(before.length + keys.length);
  for (const key of keys) {
    const { instanceID } = await quick.callUntilAnswered(key);
    await expectAllIsWell(quick, { key, instanceID });
  }
});

test('a kill of the agent: its caller is told that the execution crashed', async () => {
  const environment = await makeEnvironment(ground.stack, { owner: slow.process.owner });
  const { url: router } = await ground.stack.addReplica('router', HASTY);
  const agent = await ground.stack.startAgent({ ...environment, router });
  gate.open();
  const target = await HookTarget.on(ground, answeringBehind(gate), { environment, waitSeconds: 120 });
  gate.shut();
  const call = await target.callUnderWay();
  await agent.kill();
  const { status, body } = await call.answer;
  expect([status, body]).toEqual([500, { instanceID: call.instanceID, status: 'CRASHED' }]);
});

async function expectAllIsWell(target: HookTarget, call: { key: string; instanceID: string }): Promise<void> {
  expect(await target.aftermath(call)).toMatchObject({
    instance: { status: 'success', response: { code: 201, body: ANSWER } },
    again: [200, { instanceID: call.instanceID, replayed: true }],
  });
}
