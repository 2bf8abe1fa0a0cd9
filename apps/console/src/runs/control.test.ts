import { ApiError } from '@batuta/errors';
import { FakeExecution } from '../../test/fake-execution';
import { UNKNOWN_ID, addProcess, addShareHolder, callerOf } from '../../test/processes';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const { instanceID } = FakeExecution.instance;

test.each(['stop', 'pause', 'resume'])('%s of an instance is requested on behalf of the account', async (action) => {
  const ana = await world.addPerson();
  expect(await ana.must('POST', `/instances/${instanceID}/${action}`)).toEqual({ ok: true, action });
  expect(world.fakeExecution.controls.at(-1)).toEqual({
    instanceID,
    action,
    viewer: callerOf(ana),
    executor: ana.email,
  });
});

test.each([
  [UNKNOWN_ID, 'stop', '404 INSTANCE_NOT_FOUND', /./],
  ['x', 'stop', '404 INSTANCE_NOT_FOUND', /./],
  [instanceID, 'kill', '400 INVALID_ACTION', /^action: must be one of stop, pause, resume$/],
  [instanceID, '__proto__', '400 INVALID_ACTION', /^action: /],
])('the control instances/%s/%s is refused with %s', async (id, action, error, message) => {
  const ana = await world.addPerson();
  const refusal = { error, message: expect.stringMatching(message) };
  expect(await ana.refusal('POST', `/instances/${id}/${action}`)).toEqual(refusal);
});

test('a refusal of execution to control an instance, such as an ended one, reaches the caller', async () => {
  const ana = await world.addPerson();
  world.fakeExecution.controlRefusal = new ApiError('INSTANCE_FINISHED', 'The execution has ended with success.');
  const refusal = await ana.refusal('POST', `/instances/${instanceID}/stop`);
  world.fakeExecution.controlRefusal = undefined;
  expect(refusal).toEqual({ error: '409 INSTANCE_FINISHED', message: 'The execution has ended with success.' });
});

test('a dry run needs the permission `execute`, and is sent to execution as a dry run', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  const [bia, carla, eva] = await Promise.all([
    addShareHolder(world, ana, pid, { execute: true }),
    addShareHolder(world, ana, pid, { edit: true, schedule: true }),
    world.addPerson(),
  ]);
  const path = `/processes/${pid}/dry-run`;
  const starts = world.fakeExecution.starts.length;
  for (const person of [ana, bia]) {
    expect(await person.must('POST', path, { matrix: { total: '10,50' } })).toEqual({
      matrix: { total: 10.5 },
      refusals: [],
      status: 'started',
    });
    expect(world.fakeExecution.dryRuns.at(-1)).toMatchObject({
      processID: pid,
      trigger: { kind: 'manual', accountID: person.id },
      matrix: { total: '10,50' },
    });
  }
  expect(await carla.refusal('POST', path, {})).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await eva.refusal('POST', path, {})).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await ana.refusal('POST', path, { matrix: 1 })).toMatchObject({ error: '400 BAD_REQUEST' });
  expect(world.fakeExecution.starts).toHaveLength(starts);
});
