import { ApiError, type ErrorCode } from '@batuta/errors';
import { FakeWebhook } from '../../test/fake-webhook';
import { GREETING_FLOW, addProcess, addShareHolder, callerOf } from '../../test/processes';
import { createWorld, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeWebhook.startReply = 'started';
  world.fakeWebhook.refusal = undefined;
});

async function processWithCapture(owner: ConsoleCaller, flow: unknown = GREETING_FLOW) {
  const pid = await addProcess(owner);
  await owner.must('PUT', `/processes/${pid}/flow`, flow);
  const oid = requireText((await owner.must('POST', `/processes/${pid}/origins`, { name: 'Shop' })).id);
  return { pid, oid };
}

test('captures are listed without their payload and read with it', async () => {
  const ana = await world.addPerson();
  const { oid } = await processWithCapture(ana);
  const { payload, ...summary } = world.fakeWebhook.addCapture(oid);
  expect(await ana.must('GET', `/origins/${oid}/captures`)).toEqual({ captures: [summary] });
  expect(await ana.must('GET', `/captures/${summary.id}`)).toEqual({ ...summary, payload });
  expect(await ana.must('GET', `/captures/${summary.id}/preview`)).toEqual(FakeWebhook.preview);
  expect(world.fakeWebhook.requests.at(-1)).toEqual(['preview', { captureID: summary.id }]);
});

test('captures are deleted one by one, or all of an origin', async () => {
  const ana = await world.addPerson();
  const [{ oid }, other] = [await processWithCapture(ana), await processWithCapture(ana)];
  const kept = world.fakeWebhook.addCapture(other.oid);
  const [first] = [1, 2, 3].map(() => world.fakeWebhook.addCapture(oid));
  expect(await ana.must('DELETE', `/captures/${first?.id}`)).toEqual({ ok: true });
  expect(await ana.refusal('GET', `/captures/${first?.id}`)).toMatchObject({ error: '404 NOT_FOUND' });
  expect(await ana.must('DELETE', `/origins/${oid}/captures`)).toEqual({ removed: 2 });
  expect(await ana.must('GET', `/origins/${oid}/captures`)).toEqual({ captures: [] });
  expect(await ana.must('GET', `/captures/${kept.id}`)).toMatchObject({ id: kept.id });
});

test('the payload of a capture is returned unchanged, whatever its keys are', async () => {
  const ana = await world.addPerson();
  const { oid } = await processWithCapture(ana);
  const capture = world.fakeWebhook.addCapture(oid);
  capture.payload = JSON.parse('{"__proto__": {"a": 1}, "constructor": "b"}');
  const answer = await ana.must('GET', `/captures/${capture.id}`);
  expect(JSON.stringify(answer.payload)).toBe('{"__proto__":{"a":1},"constructor":"b"}');
});

test.each(['debug', 'replay'])('a %s of a capture is a start on behalf of the account', async (action) => {
  const ana = await world.addPerson({ name: 'Ana' });
  const { oid } = await processWithCapture(ana);
  const { id } = world.fakeWebhook.addCapture(oid);
  const before = Date.now();
  const answer = await ana.call('POST', `/captures/${id}/${action}`);
  const start = world.fakeWebhook.starts.at(-1);
  expect(world.fakeWebhook.requests.at(-1)).toEqual([action, start]);
  expect(start).toEqual({
    captureID: id,
    instanceID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    deadline: expect.any(Number),
    by: { ...callerOf(ana), userName: 'Ana', executor: ana.email },
  });
  expect([answer.status, answer.body]).toEqual([200, { instanceID: start?.instanceID, status: 'started' }]);
  // The deadline is five seconds ahead on the database's clock. The service estimates that clock, so up to one second
  // may be missing.
  expect(Number(start?.deadline) - before).toBeGreaterThan(4_000);
});

test('a debug run of a capture takes place in the environment that the body names', async () => {
  const ana = await world.addPerson();
  const { oid } = await processWithCapture(ana);
  const { id } = world.fakeWebhook.addCapture(oid);
  const environmentID = '00000000-0000-4000-8000-000000000001';
  await ana.must('POST', `/captures/${id}/debug`, { environmentID });
  expect(world.fakeWebhook.starts.at(-1)).toMatchObject({ captureID: id, environmentID });
  const refused = await ana.refusal('POST', `/captures/${id}/debug`, { environmentID: 7 });
  expect(refused).toEqual({ error: '400 BAD_REQUEST', message: expect.stringMatching(/^environmentID: /) });
});

test.each(['debug', 'replay'])('a queued %s of a capture is answered 202', async (action) => {
  const ana = await world.addPerson();
  const { oid } = await processWithCapture(ana);
  world.fakeWebhook.startReply = 'queued';
  const answer = await ana.call('POST', `/captures/${world.fakeWebhook.addCapture(oid).id}/${action}`);
  expect([answer.status, answer.body]).toEqual([202, { instanceID: expect.any(String), status: 'queued' }]);
});

test.each<[string, ErrorCode, string]>([
  ['debug', 'CONFLICT', '409 CONFLICT'],
  ['debug', 'INVALID_MATRIX', '400 INVALID_MATRIX'],
  ['debug', 'AGENT_OFFLINE', '503 AGENT_OFFLINE'],
  ['replay', 'PROCESS_NOT_PUBLISHED', '409 PROCESS_NOT_PUBLISHED'],
  ['replay', 'INSUFFICIENT_CREDITS', '402 INSUFFICIENT_CREDITS'],
  ['replay', 'INVALID_MATRIX', '400 INVALID_MATRIX'],
])('a %s of a capture that is refused with %s is answered %s', async (action, code, error) => {
  const ana = await world.addPerson();
  const { oid } = await processWithCapture(ana);
  world.fakeWebhook.startReply = new ApiError(code);
  const path = `/captures/${world.fakeWebhook.addCapture(oid).id}/${action}`;
  expect(await ana.refusal('POST', path)).toMatchObject({ error });
});

test('a debug run of a capture is refused like a publication while the flow has problems, and a replay still starts', async () => {
  const ana = await world.addPerson();
  const { pid, oid } = await processWithCapture(ana, { start: 'nowhere', steps: GREETING_FLOW.steps });
  const { id } = world.fakeWebhook.addCapture(oid);
  const before = world.fakeWebhook.requests.length;
  const refused = await ana.refusal('POST', `/captures/${id}/debug`);
  expect(refused).toEqual({ error: '400 BAD_REQUEST', message: '/start: no step is named "nowhere"' });
  expect(await ana.refusal('POST', `/processes/${pid}/publish`)).toEqual(refused);
  expect(world.fakeWebhook.requests.slice(before)).toEqual([]);
  expect(await ana.must('POST', `/captures/${id}/replay`)).toMatchObject({ status: 'started' });
});

test('a debug run of a capture is refused while the process has no flow', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const oid = requireText((await ana.must('POST', `/processes/${pid}/origins`, { name: 'Shop' })).id);
  expect(await ana.refusal('POST', `/captures/${world.fakeWebhook.addCapture(oid).id}/debug`)).toEqual({
    error: '400 BAD_REQUEST',
    message: 'flow: no flow was saved',
  });
});

test('a share with only `execute` starts a replay, but sees neither the capture nor its preview', async () => {
  const ana = await world.addPerson();
  const { pid, oid } = await processWithCapture(ana);
  const { id } = world.fakeWebhook.addCapture(oid);
  const bia = await addShareHolder(world, ana, pid, { execute: true });
  expect(await bia.must('POST', `/captures/${id}/replay`)).toMatchObject({ status: 'started' });
  expect(world.fakeWebhook.requests.at(-1)).toMatchObject([
    'replay',
    { by: { ...callerOf(bia), executor: bia.email } },
  ]);
  for (const path of [`/captures/${id}`, `/captures/${id}/preview`]) {
    expect(await bia.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  }
});
