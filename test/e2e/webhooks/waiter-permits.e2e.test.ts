import { randomUUID } from 'node:crypto';
import { waitingFlow } from '../support/tenants/answer-flows';
import { makeEnvironment, makeProcess, type Process } from '../support/tenants/factories';
import { statusOf, untilOnline } from '../support/tenants/instances';
import { makeOrigin, sendEvent, viaBaseURL } from '../support/webhooks/webhooks';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';
import { until } from '../support/until';

// A process has at most 50 waiting callers over all replicas: two gateways hold the callers, and two webhook services lease the permits.

const MAX_PERMITS = 50;

let stack: ServiceProcessStack;
let process: Process;

beforeAll(async () => {
  stack = await startServiceProcesses({ replicas: 'together' });
  await Promise.all([stack.addReplica('gateway'), stack.addReplica('webhook')]);
  const environment = await makeEnvironment(stack, { capacity: 100 });
  await stack.startAgent(environment);
  process = await makeProcess(stack, { environment, flow: waitingFlow(600) });
  await untilOnline(environment);
});

afterAll(() => stack?.stop());

/** The number of callers that wait at the gateways. */
async function countWaiters(): Promise<number> {
  const counts = await Promise.all(
    stack.services.gateway.map((service) => service.readMetric('gateway_waiting_calls')),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const untilWaiting = (expected: number) => until(countWaiters, (count) => count === expected);
/** Waits until the gateways have leased this number of permits. */
const untilLeased = (expected: number) =>
  until(
    async () => stack.services.webhook[0]?.readMetric('batuta_hook_waiting'),
    (count) => count === expected,
  );
const gatewayURL = (index: number) => stack.services.gateway[index % 2]?.url ?? '';

test('the 51st waiting caller is answered at once as in mode Imediata, and a returned permit serves the next caller', async () => {
  const settings = { responseMode: 'Aguardar', waitSeconds: 120 };
  const origins = [await makeOrigin(process, settings), await makeOrigin(process, settings)];
  const urlOf = (index: number) => viaBaseURL(gatewayURL(index), origins[index % 3 === 0 ? 0 : 1]?.prodUrl ?? '');
  const hangUps = Array.from({ length: MAX_PERMITS }, () => new AbortController());
  const calls = hangUps.map(({ signal }, index) => sendEvent(urlOf(index), {}, {}, signal));
  const answers = Promise.allSettled(calls);
  await untilWaiting(MAX_PERMITS);
  await untilLeased(MAX_PERMITS);

  for (const index of [0, 1]) {
    const answer = await sendEvent(urlOf(index), {});
    expect([answer.status, answer.body]).toEqual([200, { instanceID: answer.instanceID, status: 'started' }]);
    expect(await statusOf(process.owner, answer.instanceID)).toMatchObject({ processID: process.processID });
  }
  expect(await countWaiters()).toBe(MAX_PERMITS);
  // Another process has its own permits, so its caller waits.
  const other = await makeProcess(stack, { environment: process.environment, flow: waitingFlow(600) });
  const elsewhere = await makeOrigin(other, { responseMode: 'Aguardar', waitSeconds: 1 });
  expect((await sendEvent(elsewhere.prodUrl, {})).status).toBe(202);

  // A caller hangs up: its instance continues, its permit returns.
  hangUps[7]?.abort();
  await untilWaiting(MAX_PERMITS - 1);
  await untilLeased(MAX_PERMITS - 1);
  const key = { 'idempotency-key': randomUUID() };
  const next = sendEvent(urlOf(7), {}, key);
  await untilWaiting(MAX_PERMITS);

  for (const hangUp of hangUps) hangUp.abort();
  await untilWaiting(1);
  const { instanceID } = await sendEvent(urlOf(7), {}, key);
  await process.owner.client.instance(instanceID).stop();
  expect(await next).toMatchObject({ status: 500, body: { instanceID, status: 'STOPPED' } });
  await untilWaiting(0);
  await untilLeased(0);
  await answers;
  for (const { received, url } of await productionCallsByService()) expect([url, received > 0]).toEqual([url, true]);
});

/** For each webhook service, the number of calls of production URLs that it has handled, whatever their result. */
function productionCallsByService(): Promise<{ url: string; received: number }[]> {
  return Promise.all(
    stack.services.webhook.map(async (service) => ({
      url: service.url,
      received: await service.readMetric('batuta_hook_starts_total'),
    })),
  );
}
