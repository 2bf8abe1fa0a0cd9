import { ApiError, type ErrorCode } from '@batuta/errors';
import { FakeExecution } from '../../test/fake-execution';
import { NOBODY, processOf, sharedWith } from '../../test/processes';
import { createWorld, textOf, type World } from '../../test/world';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeExecution.startReply = 'started';
});

test('a manual run is a start in the name of the account', async () => {
  const ana = await world.person({ name: 'Ana' });
  const pid = await processOf(ana);
  const body = { matrix: { total: '1.234,56' }, environmentID: NOBODY };
  const before = Date.now();
  const answer = await ana.call('POST', `/processes/${pid}/run`, body);
  const start = world.fakeExecution.starts.at(-1);
  expect([answer.status, answer.body]).toEqual([200, { instanceID: start?.instanceID, status: 'started' }]);
  expect(start).toEqual({
    instanceID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    deadline: expect.any(Number),
    processID: pid,
    trigger: { kind: 'manual', accountID: ana.id, userName: 'Ana', executor: ana.email },
    ...body,
  });
  expect(Number(start?.deadline) - before).toBeGreaterThan(4_900);
});

test('a queued run is answered 202, and needs no body', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const bia = await sharedWith(world, ana, pid, { execute: true });
  world.fakeExecution.startReply = 'queued';
  const answer = await bia.call('POST', `/processes/${pid}/run`);
  expect([answer.status, answer.body]).toEqual([202, { instanceID: expect.any(String), status: 'queued' }]);
  expect(world.fakeExecution.starts.at(-1)?.trigger.accountID).toBe(bia.id);
});

test.each<[ErrorCode, string]>([
  ['PROCESS_NOT_PUBLISHED', '409 PROCESS_NOT_PUBLISHED'],
  ['INSUFFICIENT_CREDITS', '402 INSUFFICIENT_CREDITS'],
  ['AGENT_OFFLINE', '503 AGENT_OFFLINE'],
  ['INVALID_MATRIX', '400 INVALID_MATRIX'],
])('a start that execution refuses with %s is answered %s', async (code, error) => {
  const ana = await world.person();
  world.fakeExecution.startReply = new ApiError(code);
  expect(await ana.refusal('POST', `/processes/${await processOf(ana)}/run`, {})).toMatchObject({ error });
});

test.each<[string, unknown]>([
  ['matrix: must be an object', { matrix: [] }],
  ['matrix: must be an object', { matrix: 'total=1' }],
  ['environmentID: is not an id', { environmentID: 'x' }],
  ['environmentID: must be a text', { environmentID: null }],
  ['version: is not a known field', { version: 1 }],
  ['body: must be an object', []],
])('a run is refused with %s, and nothing starts', async (message, body) => {
  const ana = await world.person();
  const pid = await processOf(ana);
  expect(await ana.refusal('POST', `/processes/${pid}/run`, body)).toEqual({ error: '400 BAD_REQUEST', message });
  expect(world.fakeExecution.starts.some(({ processID }) => processID === pid)).toBe(false);
});

test.each([
  ['{"matrix":{"a":1,"total":1e400}}', 'total'],
  ['{"matrix":{"order":{"lines":[{"price":-1e400}]}}}', 'order'],
])('a run with %s is refused by the name of the variable, and nothing starts', async (body, name) => {
  const ana = await world.person();
  const pid = await processOf(ana);
  expect(await ana.refusal('POST', `/processes/${pid}/run`, body)).toEqual({
    error: '400 INVALID_MATRIX',
    message: expect.stringMatching(`^${name}: has a number beyond the range of a double`),
  });
  expect(world.fakeExecution.starts.some(({ processID }) => processID === pid)).toBe(false);
});

test('instances and the audit trail of a process are read from execution', async () => {
  const ana = await world.person();
  const path = `/processes/${await processOf(ana)}`;
  expect(await ana.must('GET', `${path}/instances`)).toEqual({ instances: [FakeExecution.instance] });
  expect(world.fakeExecution.lists.at(-1)?.limit).toBe(100);
  expect(await ana.must('GET', `${path}/audit?limit=500`)).toEqual({ events: [FakeExecution.event] });
  expect(world.fakeExecution.lists.at(-1)?.limit).toBe(500);
  for (const list of ['instances', 'audit']) {
    for (const limit of ['0', '501', 'x']) {
      expect(await ana.refusal('GET', `${path}/${list}?limit=${limit}`)).toMatchObject({ error: '400 BAD_REQUEST' });
    }
  }
});

test('a share is shown the instances and audit events of its own starts, the owner all', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const bia = await sharedWith(world, ana, pid, { edit: true });
  for (const list of ['instances', 'audit']) {
    for (const [client, startedBy] of [
      [ana, undefined],
      [bia, bia.id],
    ] as const) {
      await client.must('GET', `/processes/${pid}/${list}`);
      expect(world.fakeExecution.lists.at(-1)).toEqual({ processID: pid, limit: 100, startedBy });
    }
  }
});

test('an instance and its logs are requested in the name of the caller', async () => {
  const ana = await world.person();
  const path = `/instances/${textOf(FakeExecution.instance.instanceID)}`;
  expect(await ana.must('GET', path)).toEqual(FakeExecution.instance);
  expect(await ana.must('GET', `${path}/logs?limit=1000&after=7`)).toEqual({ logs: [FakeExecution.line] });
  expect(world.fakeExecution.viewers.slice(-2)).toEqual([{ accountID: ana.id }, { accountID: ana.id }]);
  for (const query of ['limit=0', 'limit=1001', 'after=-1', 'page=1']) {
    expect(await ana.refusal('GET', `${path}/logs?${query}`)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});

test.each(['', '/logs'])('an unknown instance is INSTANCE_NOT_FOUND for instances/:iid%s', async (rest) => {
  const ana = await world.person();
  for (const id of [NOBODY, 'x']) {
    expect(await ana.refusal('GET', `/instances/${id}${rest}`)).toMatchObject({ error: '404 INSTANCE_NOT_FOUND' });
  }
});
