import * as s from '../../support/shape';
import { echoFlow } from '../support/tenants/answer-flows';
import { makeOwner, type Owner, type Process } from '../support/tenants/factories';
import { untilEnded, instanceOf } from '../support/tenants/instances';
import { ORDER_BODY, SENDER_SECRET, startWebhookStack, type WebhookStack } from '../support/webhooks/webhook-world';
import {
  captureIDOf,
  captureIDsOf,
  draftMapping,
  makeOrigin,
  sendEvent,
  type Origin,
} from '../support/webhooks/webhooks';
import { until } from '../support/until';

// An owner's work with captures: show, preview, debug, replay, delete.

const MASK = '«•••»';

let world: WebhookStack;

beforeAll(async () => {
  world = await startWebhookStack();
});

afterAll(() => world?.stop());

/** Sends an event to the development URL; returns the id of the capture. */
async function captureEvent(origin: Origin, event: unknown = ORDER_BODY): Promise<string> {
  return captureIDOf(await sendEvent(origin.devUrl, event));
}

test('an origin keeps the 10 newest captures, and their deletion leaves its mapping', async () => {
  const origin = await makeOrigin(await world.newProcess(), { mapping: { total: '/total' } });
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await captureEvent(origin, { n }));
  expect(await captureIDsOf(origin)).toEqual(ids.slice(2).toReversed());
  const { owner } = origin.process;
  await owner.manage('DELETE', `/captures/${ids[11]}`);
  expect(await captureIDsOf(origin)).toEqual(ids.slice(2, 11).toReversed());
  await owner.manage('DELETE', `/origins/${origin.id}/captures`);
  expect(await captureIDsOf(origin)).toEqual([]);
  expect(await owner.manage('GET', `/origins/${origin.id}/mapping`)).toMatchObject({
    unsaved: null,
    saved: [{ pointer: '/total' }],
    published: [{ pointer: '/total' }],
  });
});

test('a process has at most 10 origins', async () => {
  const process = await world.newProcess();
  for (let n = 0; n < 10; n++) await makeOrigin(process);
  await expect(makeOrigin(process)).rejects.toThrow(/409.*CONFLICT/);
});

describe('one capture', () => {
  let process: Process;
  let origin: Origin;
  let id: string;

  beforeAll(async () => {
    process = await world.newProcess();
    origin = await makeOrigin(process, { mapping: { customer: '/customer/name', token: '/customer/token' } });
    id = await captureEvent(origin, { ...ORDER_BODY, customer: { ...ORDER_BODY.customer, age: 'old' } });
    await draftMapping(origin, { customer: '/customer/nothing', total: '/customer/age', token: '/customer/token' });
  });

  test('a capture is previewed against the draft and the published mapping, with the reason of each refusal', async () => {
    const preview = await process.owner.manage('GET', `/captures/${id}/preview`);
    const entriesByName = (entries: object[]) =>
      Object.fromEntries(entries.map((entry) => [Reflect.get(entry, 'name'), entry]));
    const { draft, published } = s
      .object({ draft: s.list(s.object({})), published: s.list(s.object({})) })
      .parse(preview);
    expect(entriesByName(draft)).toMatchObject({
      customer: { absent: true },
      total: { refusal: expect.any(String) },
      token: { value: MASK },
    });
    expect(entriesByName(published)).toMatchObject({ customer: { value: 'Ana' }, token: { value: MASK } });
  });

  test('a capture is debugged with the development version and the draft, without Secretos and without a credit', async () => {
    await draftMapping(origin, { customer: '/total', token: '/customer/token' });
    const flow = echoFlow(['customer', 'token'], { code: 422 });
    await process.owner.manage('PUT', `/processes/${process.processID}/flow`, flow);
    const started = await process.owner.tryToManage('POST', `/captures/${id}/debug`);
    const instanceID = instanceOf(started);
    expect((await untilEndedOf(process.owner, instanceID)).status).toBe('success');
    const log = await logTextOf(process.owner, instanceID);
    expect(log).toContain('422');
    expect(log).toContain(ORDER_BODY.total);
    expect(log).not.toContain(SENDER_SECRET);
  });

  test('a capture is replayed in production only with permission to execute', async () => {
    const started = await process.owner.tryToManage('POST', `/captures/${id}/replay`);
    const instanceID = instanceOf(started);
    expect(await untilEnded(process.owner, instanceID)).toMatchObject({ status: 'success' });
    const guest = await makeOwner(world.stack);
    expect((await guest.tryToManage('POST', `/captures/${id}/replay`)).status).toBe(404);
    const share = `/processes/${process.processID}/shares/${guest.email}`;
    await process.owner.manage('PUT', share, { edit: true });
    expect((await guest.tryToManage('POST', `/captures/${id}/replay`)).status).toBe(403);
    await process.owner.manage('PUT', share, { execute: true });
    expect((await guest.tryToManage('POST', `/captures/${id}/replay`)).status).toBe(200);
  });
});

test('origins, mappings, captures and rotation need permission to edit', async () => {
  const origin = await makeOrigin(await world.newProcess());
  const { owner, processID } = origin.process;
  const guest = await makeOwner(world.stack);
  await owner.manage('PUT', `/processes/${processID}/shares/${guest.email}`, { execute: true, schedule: true });
  const id = await captureEvent(origin);
  for (const [method, path] of [
    ['GET', `/processes/${processID}/origins`],
    ['GET', `/origins/${origin.id}/mapping`],
    ['POST', `/origins/${origin.id}/mapping/save`],
    ['GET', `/origins/${origin.id}/captures`],
    ['GET', `/captures/${id}`],
  ] as const) {
    expect([path, (await guest.tryToManage(method, path)).status]).toEqual([path, 403]);
  }
  await expect(guest.manage('POST', `/origins/${origin.id}/rotate`, { url: 'dev' })).rejects.toThrow(/403/);
  await owner.manage('PUT', `/processes/${processID}/shares/${guest.email}`, { edit: true });
  expect(await guest.manage('GET', `/processes/${processID}/origins`)).toMatchObject({ origins: [{ id: origin.id }] });
});

test('the deletion of a process removes its origins', async () => {
  const origin = await makeOrigin(await world.newProcess());
  await origin.process.owner.manage('DELETE', `/processes/${origin.process.processID}`);
  expect(await sendEvent(origin.devUrl, ORDER_BODY)).toMatchObject({ status: 404 });
  expect(await sendEvent(origin.prodUrl, ORDER_BODY)).toMatchObject({ status: 404 });
});

/** Only the management API shows debug instances. */
async function untilEndedOf(owner: Owner, instanceID: string): Promise<{ status: string }> {
  const shape = s.object({ status: s.text() });
  return until(
    async () => shape.parse(await owner.manage('GET', `/instances/${instanceID}`)),
    ({ status }) => !['queued', 'running', 'unknown'].includes(status),
  );
}

async function logTextOf(owner: Owner, instanceID: string): Promise<string> {
  return JSON.stringify(await owner.manage('GET', `/instances/${instanceID}/logs`));
}
