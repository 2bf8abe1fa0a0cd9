import { randomUUID } from 'node:crypto';
import * as s from '../../support/shape';
import {
  makeCompany,
  makeEnvironment,
  makeOwner,
  makeProcess,
  publish,
  type Process,
} from '../support/tenants/factories';
import { echoFlow } from '../support/tenants/answer-flows';
import { captureIDOf, makeOrigin, rotateURL, sendEvent, type Origin } from '../support/webhooks/webhooks';
import { untilEnded, statusOf, untilOnline } from '../support/tenants/instances';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';

// The two URLs of an origin: accepted calls, rotation, deletion, and changes of the origin. Refused calls: refusals.e2e.test.ts.

const MATRIX = [
  { name: 'customer', type: 'Texto', default: 'nobody' },
  { name: 'total', type: 'Moeda', default: '1,00' },
];
const MAPPING = { customer: '/customer/name', total: '/total' };
const EVENT = { customer: { name: 'Empório São João' }, total: 'R$ 1.234,50' };
const ECHO_FLOW = echoFlow(['customer', 'total']);

let stack: Stack;
/** A process whose agent is online. */
let process: Process;
/** A process in an offline environment that queues starts. */
let queueing: Process;
let origin: Origin;
let queueingOrigin: Origin;

beforeAll(async () => {
  stack = await startStack();
  const environment = await makeEnvironment(stack);
  await stack.startAgent(environment);
  await untilOnline(environment);
  process = await makeProcess(stack, { environment, matrix: MATRIX, flow: ECHO_FLOW });
  queueing = await makeProcess(stack, { matrix: MATRIX, flow: ECHO_FLOW });
  [origin, queueingOrigin] = [
    await makeOrigin(process, { mapping: MAPPING }),
    await makeOrigin(queueing, { mapping: MAPPING }),
  ];
});

afterAll(() => stack?.stop());

const auditBody = s.object({ events: s.list(s.object({ executor: s.text() })) });
const instancesBody = s.object({ instances: s.list(s.object({ instanceID: s.text() })) });

async function instanceIDsOf({ owner, processID }: Process): Promise<string[]> {
  const answer = await owner.manage('GET', `/processes/${processID}/instances`);
  return instancesBody.parse(answer).instances.map(({ instanceID }) => instanceID);
}

describe('development', () => {
  test('the development URL captures the call and starts nothing, whatever the state of its process and the plan of its owner', async () => {
    const owner = await makeOwner(stack, { company: await makeCompany(stack, { plan: { apiAccess: false } }) });
    const unpublished = await makeProcess(stack, { owner, flow: null });
    await owner.manage('PATCH', `/processes/${unpublished.processID}`, { apiPermission: 'BLOQUEADO' });
    const { devUrl, id } = await makeOrigin(unpublished);
    const answer = await sendEvent(devUrl, EVENT);
    expect(answer).toMatchObject({ status: 200, body: { captured: true, captureId: expect.any(String) } });
    expect(await owner.manage('GET', `/captures/${captureIDOf(answer)}`)).toMatchObject({ payload: EVENT });
    expect(await owner.manage('GET', `/origins/${id}/captures`)).toMatchObject({
      captures: [{ id: captureIDOf(answer) }],
    });
    expect(await instanceIDsOf(unpublished)).toEqual([]);
  });

  test('the development URL stores no secret header', async () => {
    const headers = {
      authorization: 'Bearer secret-value',
      cookie: 'session=secret-value',
      'x-process-key': 'secret-value',
      'proxy-authorization': 'Basic secret-value',
      'x-event': 'order.paid',
    };
    const answer = await sendEvent(`${origin.devUrl}?shop=Moema&tag=a&tag=b`, EVENT, headers);
    const capture = await process.owner.manage('GET', `/captures/${captureIDOf(answer)}`);
    expect(capture).toMatchObject({
      payload: { ...EVENT, _query: { shop: 'Moema', tag: ['a', 'b'] }, _headers: { 'x-event': 'order.paid' } },
    });
    expect(JSON.stringify(capture)).not.toContain('secret-value');
  });
});

describe('production', () => {
  test('the production URL in mode Imediata starts the process, answers at once, and the audit trail names the origin', async () => {
    const answer = await sendEvent(origin.prodUrl, EVENT);
    expect(answer).toMatchObject({ status: 200, body: { instanceID: answer.instanceID, status: 'started' } });
    expect(Object.keys(s.dictionary(s.anything).parse(answer.body))).toHaveLength(2);
    const body = await untilEnded(process.owner, answer.instanceID);
    expect(body).toMatchObject({ status: 'success', processID: process.processID });
    const { events } = auditBody.parse(await process.owner.manage('GET', `/processes/${process.processID}/audit`));
    const about = events.filter((event) => JSON.stringify(event).includes(answer.instanceID));
    expect(JSON.stringify(about)).toContain(origin.id);
  });

  test('the production URL in mode Imediata answers 202 while the instance is queued', async () => {
    const answer = await sendEvent(queueingOrigin.prodUrl, EVENT);
    expect(answer).toMatchObject({ status: 202, body: { instanceID: answer.instanceID, status: 'queued' } });
    expect(await statusOf(queueing.owner, answer.instanceID)).toMatchObject({ status: 'queued' });
  });

  test('the production URL in mode Imediata works without the prefix of the API too', async () => {
    const withoutPrefix = (url: string) => url.replace('/v1/hooks/', '/hooks/');
    expect(await sendEvent(withoutPrefix(origin.prodUrl), EVENT)).toMatchObject({
      status: 200,
      body: { status: 'started' },
    });
    expect(await sendEvent(withoutPrefix(origin.devUrl), EVENT)).toMatchObject({
      status: 200,
      body: { captured: true },
    });
  });

  test('the production URL in mode Imediata starts once per Idempotency-Key, and repeats the first answer without that of the process', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await sendEvent(queueingOrigin.prodUrl, EVENT, key);
    const twins = await Promise.all([
      sendEvent(queueingOrigin.prodUrl, EVENT, key),
      sendEvent(queueingOrigin.prodUrl, EVENT, key),
    ]);
    for (const twin of twins) {
      expect(twin).toMatchObject({ status: 202, instanceID: first.instanceID });
      expect(twin.body).toEqual({ instanceID: first.instanceID, replayed: true });
      expect(twin.headers.get('idempotency-mismatch')).toBeNull();
    }
    const other = await sendEvent(queueingOrigin.prodUrl, { ...EVENT, total: 2 }, key);
    expect(other).toMatchObject({ status: 202, body: { instanceID: first.instanceID, replayed: true } });
    expect(other.headers.get('idempotency-mismatch')).toBe('true');
    const elsewhere = await sendEvent((await makeOrigin(queueing, { mapping: MAPPING })).prodUrl, EVENT, key);
    expect(elsewhere.body).toMatchObject({ status: 'queued' });
    expect(elsewhere.instanceID).not.toBe(first.instanceID);
  });

  test('the production URL in mode Imediata costs one credit like an API start, and none when the call is refused or repeated', async () => {
    const company = await makeCompany(stack, { plan: { monthlyCredits: 2 } });
    const processWithFewCredits = await makeProcess(stack, {
      owner: await makeOwner(stack, { company }),
      matrix: MATRIX,
    });
    const { prodUrl } = await makeOrigin(processWithFewCredits, { mapping: MAPPING });
    const key = { 'idempotency-key': randomUUID() };
    const statuses: number[] = [];
    for (const [body, headers] of [
      [{ total: 'abc' }, {}],
      [EVENT, key],
      [EVENT, key],
      [EVENT, {}],
      [EVENT, {}],
    ] as const) {
      statuses.push((await sendEvent(prodUrl, body, headers)).status);
    }
    expect(statuses).toEqual([400, 202, 202, 202, 402]);
  });
});

describe('rotation', () => {
  test.each(['dev', 'prod'] as const)(
    'after a rotation (%s) the old URL is revoked at once, the new one works, the other stays',
    async (kind) => {
      const one = await makeOrigin(queueing);
      const fresh = await rotateURL(one, kind);
      const [old, other] = kind === 'dev' ? [one.devUrl, one.prodUrl] : [one.prodUrl, one.devUrl];
      expect(await sendEvent(old, EVENT)).toMatchObject({
        status: 401,
        body: { error: { code: 'WEBHOOK_TOKEN_REVOKED' } },
      });
      expect((await sendEvent(fresh, EVENT)).status).toBeLessThan(300);
      expect((await sendEvent(other, EVENT)).status).toBeLessThan(300);
    },
  );
});

test('the deletion of an origin removes both URLs, its mapping and its captures', async () => {
  const one = await makeOrigin(queueing, { mapping: MAPPING });
  const capture = captureIDOf(await sendEvent(one.devUrl, EVENT));
  await queueing.owner.manage('DELETE', `/origins/${one.id}`);
  for (const url of [one.devUrl, one.prodUrl]) {
    expect(await sendEvent(url, EVENT)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  }
  await expect(queueing.owner.manage('GET', `/captures/${capture}`)).rejects.toThrow(/404/);
  await expect(queueing.owner.manage('GET', `/origins/${one.id}/mapping`)).rejects.toThrow(/404/);
});

test('a change of the response mode of an origin applies at once, without a publication', async () => {
  const one = await makeOrigin(process, { mapping: MAPPING });
  expect((await sendEvent(one.prodUrl, EVENT)).body).toMatchObject({ status: 'started' });
  await process.owner.manage('PATCH', `/origins/${one.id}`, { responseMode: 'Aguardar', waitSeconds: 20 });
  expect((await sendEvent(one.prodUrl, EVENT)).body).toEqual({ customer: 'Empório São João', total: 1234.5 });
  await process.owner.manage('PATCH', `/origins/${one.id}`, { responseMode: 'Imediata' });
  expect((await sendEvent(one.prodUrl, EVENT)).body).toMatchObject({ status: 'started' });
});

test('a call starts the version published at that moment', async () => {
  const own = await makeProcess(stack, { environment: process.environment, matrix: MATRIX, flow: ECHO_FLOW });
  const one = await makeOrigin(own, { mapping: MAPPING, responseMode: 'Aguardar' });
  await own.owner.manage('PUT', `/processes/${own.processID}/flow`, echoFlow(['customer'], { code: 201 }));
  expect(await sendEvent(one.prodUrl, EVENT)).toMatchObject({ status: 200 });
  await publish(own.owner, own.processID, echoFlow(['customer'], { code: 201 }));
  expect(await sendEvent(one.prodUrl, EVENT)).toMatchObject({ status: 201, body: { customer: 'Empório São João' } });
});
