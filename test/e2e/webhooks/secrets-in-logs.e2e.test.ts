import { echoFlow } from '../support/tenants/answer-flows';
import { makeEnvironment, makeProcess } from '../support/tenants/factories';
import { untilOnline } from '../support/tenants/instances';
import { makeOrigin, rotateURL, sendEvent } from '../support/webhooks/webhooks';
import { SERVICES } from '../support/stack/service-process';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';

// No service logs the payload or the token of a webhook call.

let stack: ServiceProcessStack;

beforeAll(async () => {
  stack = await startServiceProcesses({ env: { LOG_LEVEL: 'debug' }, replicas: 'together' });
});

afterAll(() => stack?.stop());

test('no log of any service contains a token, a payload, a query or a signature secret', async () => {
  const environment = await makeEnvironment(stack);
  await stack.startAgent(environment);
  await untilOnline(environment);
  const matrix = [
    { name: 'customer', type: 'Texto' },
    { name: 'total', type: 'Moeda' },
  ];
  const process = await makeProcess(stack, { environment, matrix, flow: echoFlow(['customer', 'total']) });
  const mapping = { customer: '/customer', total: '/_query/total' };
  const origin = await makeOrigin(process, { mapping, responseMode: 'Aguardar' });
  const event = { customer: 'marker-of-the-body' };
  const headers = { 'x-any': 'marker-of-a-header', 'idempotency-key': 'marker-of-a-key' };

  expect((await sendEvent(`${origin.devUrl}?total=5`, event, headers)).status).toBe(200);
  expect((await sendEvent(`${origin.prodUrl}?total=5`, event, headers)).body).toEqual({ ...event, total: 5 });
  const { status, body } = await sendEvent(`${origin.prodUrl}?total=marker-of-the-query`, event, headers);
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('replayed')]);
  expect((await sendEvent(`${origin.prodUrl}?total=marker-of-the-query`, event)).status).toBe(400);
  const old = origin.devUrl;
  const fresh = await rotateURL(origin, 'dev');
  expect((await sendEvent(old, event)).status).toBe(401);
  const signature = { header: 'X-Signature', secret: 'marker-of-a-secret', toleranceSeconds: null };
  await process.owner.manage('PATCH', `/origins/${origin.id}`, { signature });
  expect((await sendEvent(fresh, event, { 'x-signature': 'marker-of-a-signature' })).status).toBe(401);

  const tokens = [old, fresh, origin.prodUrl].map((url) => url.slice(url.lastIndexOf('/') + 1));
  // All services run in one OS process and write to one log.
  const logs = (await stack.services.webhook[0]?.log()) ?? '';
  expect(logs).toContain(origin.id);
  for (const name of SERVICES) expect(logs).toContain(`"service":"${name}"`);
  expect([...tokens, 'marker-of'].filter((secret) => logs.includes(secret))).toEqual([]);
});
