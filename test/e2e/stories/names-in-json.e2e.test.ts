import { randomUUID } from 'node:crypto';
import { TestAgent } from '../../../apps/router/test/test-agent';
import * as s from '../../support/shape';
import { makeEnvironment, makeProcess, type Process } from '../support/tenants/factories';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';
import { captureIDOf, captureIDsOf, makeOrigin, sendEvent } from '../support/webhooks/webhooks';

// After a name with a backslash, JSON.parse of Node 24 may read later names wrongly in the same OS process (nodejs/node#63785). All services
// run in one OS process here, and each test has object names of its own, so that no earlier test changes how they are read.

let stack: ServiceProcessStack;
let hostile: Process;
let neighbour: Process;

beforeAll(async () => {
  stack = await startServiceProcesses({ replicas: 'together' });
  const matrix = [{ name: 'order', type: 'Objeto' }];
  [hostile, neighbour] = await Promise.all([makeProcess(stack, { matrix }), makeProcess(stack, { matrix })]);
});
afterAll(() => stack?.stop());

const captureShape = s.object({ payload: s.dictionary(s.anything) });
const refusal = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });
const BAD_BODY = { status: 400, body: refusal('BAD_REQUEST', /^body: the name "caf\\\\" /) };

/**
 * Two JSON objects with the same first name: a hostile one, and one of another company, together with the value as which the latter must be
 * read.
 */
function newOrders() {
  const first = `order-${randomUUID()}`;
  return {
    poison: String.raw`{"${first}":1,"caf\\":2}`,
    order: String.raw`{"${first}":1,"caf\u00e9":2}`,
    meaning: { [first]: 1, café: 2 },
  };
}

/**
 * The status of a dry run of the neighbour's process with this JSON as `order`, and the Matrix in its answer, which shows how gateway and
 * execution read the names.
 */
async function dryRunWith(order: string): Promise<unknown> {
  const { owner, processID, processKey } = neighbour;
  const path = `/processes/${processID}/start?dryRun=true`;
  const { status, body } = await owner.api('POST', path, { processKey, body: `{"matrix":{"order":${order}}}` });
  return [status, Object(body).matrix];
}

test('a start with a name that could be read as another one is refused, and the fields of others keep their names', async () => {
  const { poison, order, meaning } = newOrders();
  const { owner, processID, processKey } = hostile;
  const start = (matrix: string) =>
    owner.api('POST', `/processes/${processID}/start`, { processKey, body: `{"matrix":{"order":${matrix}}}` });
  expect(await start(poison)).toMatchObject(BAD_BODY);
  // A large body is parsed in a thread.
  const dense = '{},'.repeat(60_000);
  expect(await start(`[${dense}${poison}]`)).toMatchObject(BAD_BODY);
  const asText = JSON.stringify(poison);
  expect(await start(asText)).toMatchObject({ status: 400, body: refusal('INVALID_MATRIX', /^order: .* has a name /) });
  expect(await dryRunWith(order)).toEqual([200, { order: meaning }]);
});

test('a management call with a name that could be read as another one is refused, and the fields of others keep their names', async () => {
  const { poison, order, meaning } = newOrders();
  const flow = await hostile.owner.tryToManage('PUT', `/processes/${hostile.processID}/flow`, poison);
  expect(flow).toMatchObject(BAD_BODY);
  const set = (value: string) =>
    neighbour.owner.tryToManage('POST', `/processes/${neighbour.processID}/run`, `{"matrix":{"order":${value}}}`);
  expect(await set(poison)).toMatchObject(BAD_BODY);
  expect(await dryRunWith(order)).toEqual([200, { order: meaning }]);
});

test('webhook calls with a name that could be read as another one are refused, and the captures of others keep their names', async () => {
  const bad = await makeOrigin(hostile, { mapping: { order: '/_query' } });
  const good = await makeOrigin(neighbour, { mapping: { order: '' } });
  const { poison, order, meaning } = newOrders();
  const query = Object.entries(JSON.parse(poison)).map((pair) =>
    pair.map((each) => encodeURIComponent(String(each))).join('='),
  );
  for (const url of [bad.devUrl, bad.prodUrl]) {
    expect(await sendEvent(url, poison)).toMatchObject(BAD_BODY);
    expect(await sendEvent(`${url}?${query.join('&')}`, {})).toMatchObject({
      status: 400,
      body: refusal('BAD_REQUEST', /^query: the name "caf\\\\" /),
    });
  }
  expect(await captureIDsOf(bad)).toEqual([]);
  const captured = captureIDOf(await sendEvent(good.devUrl, order));
  const capture = captureShape.parse(await neighbour.owner.manage('GET', `/captures/${captured}`));
  expect(capture.payload).toMatchObject(meaning);
  expect(await sendEvent(good.prodUrl, order)).toMatchObject({ status: 202 });
  expect(await dryRunWith(order)).toEqual([200, { order: meaning }]);
});

test('a frame of an agent with a name that could be read as another one closes its connection, and the fields of others keep their names', async () => {
  const { poison, order, meaning } = newOrders();
  const { activationKey } = await makeEnvironment(stack, { owner: hostile.owner });
  for (const join of [true, false]) {
    const agent = join
      ? (await TestAgent.join(stack.router, activationKey)).agent
      : await TestAgent.connect(stack.router, activationKey);
    agent.send(`{"type":"heartbeat","mood":${poison}}`);
    expect(await agent.waitForClose()).toBe(4400);
  }
  expect(await dryRunWith(order)).toEqual([200, { order: meaning }]);
});
