import { randomUUID } from 'node:crypto';
import { makeEnvironment } from '../support/tenants/factories';
import { startBarrier, type Barrier } from '../support/faults/barrier';
import { ANSWER_BODY, ANSWERING_FLOW, flowAnsweringAfter, WebhookTarget } from '../support/webhooks/webhook-target';
import { SHORT_LEASE_SETTINGS, ChaosStack } from '../support/faults/chaos-stack';
import type { ServiceName, ServiceProcess } from '../support/stack/service-process';
import { until } from '../support/until';

// Services are killed (SIGKILL) while callers wait for the answer of their process: the instance continues, its answer is stored, a repeated call
// with the idempotency key gets that answer, and no permit is lost.

const KILL_TIME_LIMIT_MS = 90_000;

let chaos: ChaosStack;
let barrier: Barrier;
/** A target whose process answers when the barrier opens. */
let slow: WebhookTarget;
/** A target whose process answers at once. */
let quick: WebhookTarget;

beforeAll(async () => {
  chaos = await ChaosStack.start({ replicas: { schedule: 0 } });
  await chaos.joinAgent('steady');
  barrier = await startBarrier();
  slow = await WebhookTarget.create(chaos, flowAnsweringAfter(barrier), { waitSeconds: 120 });
  quick = await WebhookTarget.create(chaos, ANSWERING_FLOW, { waitSeconds: 30 });
});

afterAll(async () => {
  await barrier?.stop();
  await chaos?.stop();
});

/** A call whose instance runs and cannot answer before the barrier opens. */
function callBeforeBarrierOpens() {
  barrier.shut();
  return slow.callInFlight();
}

test.each<ServiceName>(['webhook', 'execution', 'router'])(
  'a waiting caller gets the answer of its process although %s is killed',
  async (name) => {
    const call = await callBeforeBarrierOpens();
    const [target] = chaos.stack.services[name];
    await target?.kill();
    await target?.startAgain();
    barrier.open();
    const { status, body, instanceID } = await call.answer;
    expect([status, body, instanceID]).toEqual([201, ANSWER_BODY, call.instanceID]);
    await expectConsistentEnd(slow, call);
  },
);

test('a kill of the gateway cuts the caller off, and its idempotency key returns the instance with its answer', async () => {
  const call = await callBeforeBarrierOpens();
  const [target] = chaos.stack.services.gateway;
  await target?.kill();
  await expect(call.answer).rejects.toThrow('fetch failed');
  await target?.startAgain();
  barrier.open();
  await expectConsistentEnd(slow, call);
});

test('a gateway that is stopped first delivers the answers of its waiting callers', async () => {
  const call = await callBeforeBarrierOpens();
  const [leaving] = chaos.stack.services.gateway;
  const gone = leaving?.end();
  await until(
    () =>
      fetch(`${leaving?.url}/health/live`).then(
        () => 'listening',
        () => 'leaving',
      ),
    (it) => it === 'leaving',
  );
  barrier.open();
  expect(await call.answer).toMatchObject({ status: 201, body: ANSWER_BODY });
  await gone;
  await leaving?.startAgain();
  await expectConsistentEnd(slow, call);
});

test('waiting callers get their answers when NATS returns after an outage', async () => {
  const call = await callBeforeBarrierOpens();
  await chaos.stack.nats.kill();
  await chaos.stack.nats.startAgain();
  barrier.open();
  expect(await call.answer).toMatchObject({ status: 201, body: ANSWER_BODY });
  await expectConsistentEnd(slow, call);
});

/** Calls while the other replica of execution is away, because which of two a company has depends on their random names. */
async function callWithOneReplica(armed: ServiceProcess, key: string): Promise<void> {
  const [other] = chaos.stack.services.execution;
  await other?.end();
  const answered = quick.callUntilAnswered(key);
  await armed.exited;
  await other?.startAgain();
  await answered;
}

test.each<[service: ServiceName, point: string]>([
  ['webhook', 'before-start'],
  ['webhook', 'after-start'],
  ['webhook', 'after-wait'],
  ['gateway', 'after-hook-start'],
  ['gateway', 'waiting'],
  ['execution', 'after-commit'],
  ['execution', 'mid-report'],
  ['router', 'mid-report'],
])('a kill of %s at %s starts each call once, and each gets its answer', async (service, point) => {
  const { stack, gateways } = chaos;
  const before = await quick.instanceIDs();
  const armed = await stack.addReplica(service, { BATUTA_FAULT: `${service}:${point}` });
  if (service === 'gateway') {
    gateways.targets = [armed.url, stack.gateway];
    gateways.dropConnections();
  }
  if (service === 'router') await chaos.moveAgent('steady', armed.url);
  const keys: string[] = [];
  const deadline = Date.now() + KILL_TIME_LIMIT_MS;
  while (armed.isAlive && Date.now() < deadline) {
    const key = randomUUID();
    keys.push(key);
    if (service === 'execution') await callWithOneReplica(armed, key);
    else await quick.callUntilAnswered(key);
    // The next call must acquire a new permit.
    await quick.untilPermitsReturned();
  }
  if (armed.isAlive) throw new Error('The armed process did not come to its point');
  expect((await armed.exited).signal).toBe('SIGKILL');
  expect(await quick.instanceIDs()).toHaveLength(before.length + keys.length);
  for (const key of keys) {
    const { instanceID } = await quick.callUntilAnswered(key);
    await expectConsistentEnd(quick, { key, instanceID });
  }
});

test('after a kill of the agent the waiting caller of its instance is answered 500 CRASHED', async () => {
  const environment = await makeEnvironment(chaos.stack, { owner: slow.process.owner });
  const { url: router } = await chaos.stack.addReplica('router', SHORT_LEASE_SETTINGS);
  const agent = await chaos.stack.startAgent({ ...environment, router });
  barrier.open();
  const target = await WebhookTarget.create(chaos, flowAnsweringAfter(barrier), { environment, waitSeconds: 120 });
  barrier.shut();
  const call = await target.callInFlight();
  await agent.kill();
  const { status, body } = await call.answer;
  expect([status, body]).toEqual([500, { instanceID: call.instanceID, status: 'CRASHED' }]);
});

async function expectConsistentEnd(target: WebhookTarget, call: { key: string; instanceID: string }): Promise<void> {
  expect(await target.awaitEndAndReplay(call)).toMatchObject({
    instance: { status: 'success', response: { code: 201, body: ANSWER_BODY } },
    again: [200, { instanceID: call.instanceID, replayed: true }],
  });
}
