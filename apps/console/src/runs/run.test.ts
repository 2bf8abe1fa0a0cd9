import { ApiError, type ErrorCode } from '@batuta/errors';
import { FakeExecution } from '../../test/fake-execution';
import { GREETING_FLOW, UNKNOWN_ID, addProcess, addShareHolder, callerOf } from '../../test/processes';
import { createWorld, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeExecution.startReply = 'started';
});

test('a manual run is a start on behalf of the account', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  const body = { matrix: { total: '1.234,56' }, environmentID: UNKNOWN_ID };
  const before = Date.now();
  const answer = await ana.call('POST', `/processes/${pid}/run`, body);
  const start = world.fakeExecution.starts.at(-1);
  expect([answer.status, answer.body]).toEqual([200, { instanceID: start?.instanceID, status: 'started' }]);
  expect(start).toEqual({
    instanceID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    deadline: expect.any(Number),
    processID: pid,
    trigger: { kind: 'manual', ...callerOf(ana), userName: 'Ana', executor: ana.email },
    ...body,
  });
  // The deadline is five seconds ahead on the database's clock. The service estimates that clock, so up to one second
  // may be missing.
  expect(Number(start?.deadline) - before).toBeGreaterThan(4_000);
});

test('a debug run with typed values runs the draft, and is refused while it has problems', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const answer = await ana.call('POST', `/processes/${pid}/debug`, { matrix: { total: '1' } });
  const start = world.fakeExecution.starts.at(-1);
  expect([answer.status, answer.body]).toEqual([200, { instanceID: start?.instanceID, status: 'started' }]);
  expect(start).toMatchObject({
    processID: pid,
    trigger: { kind: 'debug', ...callerOf(ana), userName: 'Ana', executor: ana.email },
    matrix: { total: '1' },
  });
  await ana.must('PUT', `/processes/${pid}/flow`, { start: 'gone', steps: GREETING_FLOW.steps });
  expect((await ana.refusal('POST', `/processes/${pid}/debug`)).error).toBe('400 BAD_REQUEST');
  const bia = await addShareHolder(world, ana, pid, { execute: true });
  expect((await bia.refusal('POST', `/processes/${pid}/debug`)).error).toBe('403 FORBIDDEN');
});

test('a run by hand needs no body, and is answered 202 when it is queued', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { execute: true });
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
])('a run that execution refuses with %s is answered %s', async (code, error) => {
  const ana = await world.addPerson();
  world.fakeExecution.startReply = new ApiError(code);
  expect(await ana.refusal('POST', `/processes/${await addProcess(ana)}/run`, {})).toMatchObject({ error });
});

test.each<[string, unknown]>([
  ['matrix: must be an object', { matrix: [] }],
  ['matrix: must be an object', { matrix: 'total=1' }],
  ['environmentID: is not an id', { environmentID: 'x' }],
  ['environmentID: must be a text', { environmentID: null }],
  ['version: is not a known field', { version: 1 }],
  ['body: must be an object', []],
])('a run is refused with %s, and nothing starts', async (message, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  expect(await ana.refusal('POST', `/processes/${pid}/run`, body)).toEqual({ error: '400 BAD_REQUEST', message });
  expect(world.fakeExecution.starts.some(({ processID }) => processID === pid)).toBe(false);
});

const nestedLists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('a run takes values of 100 levels, as the external API does, and names the variable of a deeper one', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const matrix = { order: nestedLists(100) };
  expect((await ana.call('POST', `/processes/${pid}/run`, { matrix })).status).toBe(200);
  expect(world.fakeExecution.starts.at(-1)).toMatchObject({ processID: pid, matrix });
  expect(await ana.refusal('POST', `/processes/${pid}/run`, { matrix: { order: nestedLists(101) } })).toEqual({
    error: '400 INVALID_MATRIX',
    message: 'order: is nested more than 100 levels deep',
  });
});

test.each([
  ['{"matrix":{"a":1,"total":1e400}}', 'total'],
  ['{"matrix":{"order":{"lines":[{"price":-1e400}]}}}', 'order'],
])('a run with %s is refused with the name of the variable in the message, and nothing starts', async (body, name) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  expect(await ana.refusal('POST', `/processes/${pid}/run`, body)).toEqual({
    error: '400 INVALID_MATRIX',
    message: expect.stringMatching(`^${name}: has a number beyond the range of a double`),
  });
  expect(world.fakeExecution.starts.some(({ processID }) => processID === pid)).toBe(false);
});

test('the cursor of a page of instances has the place of the last one, and an id is taken as a cursor, too', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/instances`;
  const [older, olderTime] = [{ before: UNKNOWN_ID }, '2026-02-03T04:05:06.789Z'];
  world.fakeExecution.olderInstances = { older, olderTime };
  const before = `${Date.parse(olderTime)}.${UNKNOWN_ID}`;
  expect(await ana.must('GET', path)).toMatchObject({ older: { before } });
  world.fakeExecution.olderInstances = {};
  await ana.must('GET', `${path}?before=${before}`);
  expect(world.fakeExecution.listRequests.at(-1)).toEqual({
    processID: pid,
    limit: 100,
    ...older,
    beforeTime: olderTime,
  });
  await ana.must('GET', `${path}?before=${UNKNOWN_ID.toUpperCase()}`);
  expect(world.fakeExecution.listRequests.at(-1)).toEqual({ processID: pid, limit: 100, ...older });
  expect(await ana.refusal('GET', `${path}?before=1`)).toMatchObject({
    message: 'before: must be the text in `older`',
  });
});

test('instances and the audit trail of a process are read from execution', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}`;
  expect(await ana.must('GET', `${path}/instances`)).toEqual({ instances: [FakeExecution.instance] });
  expect(world.fakeExecution.listRequests.at(-1)?.limit).toBe(100);
  expect(await ana.must('GET', `${path}/audit?limit=500`)).toEqual({ events: [FakeExecution.event] });
  expect(world.fakeExecution.listRequests.at(-1)?.limit).toBe(500);
  for (const list of ['instances', 'audit']) {
    for (const limit of ['0', '501', 'x']) {
      expect(await ana.refusal('GET', `${path}/${list}?limit=${limit}`)).toMatchObject({ error: '400 BAD_REQUEST' });
    }
  }
});

test('an account with a share sees the instances and audit events of its own starts, and the owner sees all', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { edit: true });
  for (const list of ['instances', 'audit']) {
    for (const [client, startedBy] of [
      [ana, undefined],
      [bia, bia.id],
    ] as const) {
      await client.must('GET', `/processes/${pid}/${list}`);
      expect(world.fakeExecution.listRequests.at(-1)).toEqual({ processID: pid, limit: 100, startedBy });
    }
  }
});

test('an instance and its logs are requested on behalf of the caller', async () => {
  const ana = await world.addPerson();
  const path = `/instances/${requireText(FakeExecution.instance.instanceID)}`;
  expect(await ana.must('GET', path)).toEqual(FakeExecution.instance);
  expect(await ana.must('GET', `${path}/logs?limit=1000&after=7`)).toEqual({ logs: [FakeExecution.line] });
  expect(world.fakeExecution.viewers.slice(-2)).toEqual([{ accountID: ana.id }, { accountID: ana.id }]);
  for (const query of ['limit=0', 'limit=1001', 'after=-1', 'page=1']) {
    expect(await ana.refusal('GET', `${path}/logs?${query}`)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});

test('a picture is read on behalf of the caller, and answered with its bytes', async () => {
  const ana = await world.addPerson();
  const path = `${world.url}/manage/v1/instances/${requireText(FakeExecution.instance.instanceID)}/evidence/${UNKNOWN_ID}`;
  const answer = await fetch(path, { headers: { authorization: `Bearer ${ana.token}` } });
  expect([answer.status, await answer.text()]).toEqual([200, UNKNOWN_ID]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': `inline; filename="evidence-${UNKNOWN_ID}.png"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  expect(world.fakeExecution.viewers.at(-1)).toEqual({ accountID: ana.id });
  expect((await fetch(path)).status).toBe(401);
});

test.each(['', '/logs', `/evidence/${UNKNOWN_ID}`])(
  'an unknown instance is INSTANCE_NOT_FOUND for instances/:iid%s',
  async (rest) => {
    const ana = await world.addPerson();
    for (const id of [UNKNOWN_ID, 'x']) {
      const refusal = { error: '404 INSTANCE_NOT_FOUND', message: 'instanceID: no such instance' };
      expect(await ana.refusal('GET', `/instances/${id}${rest}`)).toEqual(refusal);
    }
  },
);
