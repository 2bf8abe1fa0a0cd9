import type { RunDetails, StartedValue } from '@batuta/contracts';
import { FakeExecution } from '../../test/fake-execution';
import { UNKNOWN_ID, addEnvironment, addProcess, addShareHolder, callerOf } from '../../test/processes';
import { createWorld, requireText, type TestPerson, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const { instance, run } = FakeExecution;
const PATH = `/instances/${instance.instanceID}`;
const VALUES: StartedValue[] = [
  { name: 'total', type: 'Moeda', value: 1.5 },
  { name: 'token', type: 'Secreto', value: null, secret: true },
  { name: 'unused', type: 'Secreto', value: null },
  { name: 'removed', type: 'Texto', value: 'x' },
];

/** Adds a process and makes the fake execution return an instance of it; returns the id of the process. */
async function addProcessWithRun(owner: TestPerson, over: Partial<RunDetails> = {}): Promise<string> {
  const matrix = [
    { name: 'total', type: 'Moeda' },
    { name: 'token', type: 'Secreto' },
    { name: 'unused', type: 'Secreto' },
  ];
  const processID = await addProcess(owner, { matrix, environmentID: await addEnvironment(owner) });
  world.fakeExecution.runDetailsReply = { run: { ...run, processID }, values: VALUES, ...over };
  return processID;
}

test('an instance is shown with its values on behalf of the account', async () => {
  const ana = await world.addPerson();
  await addProcessWithRun(ana);
  expect(await ana.must('GET', `${PATH}/details`)).toEqual({
    ...world.fakeExecution.runDetailsReply,
    values: VALUES.with(3, { name: 'removed', type: 'Secreto', value: null, secret: true, removed: true }),
  });
  expect(world.fakeExecution.viewers.at(-1)).toEqual({ accountID: ana.id });
  for (const id of [UNKNOWN_ID, 'x']) {
    const unknown = { error: '404 INSTANCE_NOT_FOUND' };
    expect(await ana.refusal('GET', `/instances/${id}/details`)).toMatchObject(unknown);
    expect(await ana.refusal('POST', `/instances/${id}/rerun`)).toMatchObject(unknown);
  }
});

test('the agent of an instance is shown to callers that see its environment, and to no other', async () => {
  const [ana, bruno] = [await world.addPerson(), await world.addPerson()];
  const environmentID = await addEnvironment(ana);
  const processID = await addProcessWithRun(ana);
  world.fakeExecution.runDetailsReply = { run: { ...run, processID, environmentID }, agent: 'robot-07', values: [] };
  expect(await ana.must('GET', `${PATH}/details`)).toMatchObject({ agent: 'robot-07' });
  expect(await bruno.must('GET', `${PATH}/details`)).not.toHaveProperty('agent');
});

test('an instance whose values cannot be read is shown without them, and a further run with them is refused', async () => {
  const ana = await world.addPerson();
  await addProcessWithRun(ana, { values: null, valuesUnreadable: true });
  const details = await ana.must('GET', `${PATH}/details`);
  expect(details).toMatchObject({ values: null, valuesUnreadable: true });
  expect(await ana.refusal('POST', `${PATH}/rerun`)).toEqual({
    error: '409 CONFLICT',
    message: expect.stringContaining('cannot be read, for example because'),
  });
});

test('a further run has the values of the first run with the given changes, and names the first run', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const processID = await addProcessWithRun(ana);
  const { instanceID } = await ana.must('POST', `${PATH}/rerun`, { matrix: { token: 'typed' } });
  expect(world.fakeExecution.starts.at(-1)).toEqual({
    instanceID,
    deadline: expect.any(Number),
    processID,
    trigger: { kind: 'manual', ...callerOf(ana), userName: 'Ana', executor: ana.email },
    matrix: { total: 1.5, token: 'typed' },
    withoutDefault: ['unused'],
    environmentID: run.environmentID,
    retryOf: instance.instanceID,
  });
  await ana.must('POST', `${PATH}/rerun`, { matrix: { total: '2,00', token: null } });
  expect(world.fakeExecution.starts.at(-1)?.matrix).toEqual({ total: '2,00', token: null });
});

test('a variable without a value in the first run has none in a further run, and no default that was registered since', async () => {
  const ana = await world.addPerson();
  await addProcessWithRun(ana, { values: [{ name: 'total', type: 'Moeda', value: null }] });
  await ana.must('POST', `${PATH}/rerun`);
  expect(world.fakeExecution.starts.at(-1)).toMatchObject({ matrix: { total: null }, withoutDefault: ['total'] });
  await ana.must('POST', `${PATH}/rerun`, { matrix: { total: null } });
  expect(world.fakeExecution.starts.at(-1)).not.toHaveProperty('withoutDefault');
});

test('a Secreto without a value that became a Texto with a default takes no default in a further run', async () => {
  const ana = await world.addPerson();
  const values = [{ name: 'token', type: 'Secreto', value: null }];
  const processID = await addProcessWithRun(ana, { values });
  const matrix = [{ name: 'token', type: 'Texto', default: 'x' }];
  await ana.must('PUT', `/processes/${processID}/matrix`, { matrix });
  await ana.must('POST', `${PATH}/rerun`);
  expect(world.fakeExecution.starts.at(-1)).toMatchObject({ matrix: {}, withoutDefault: ['token'] });
});

test('a further run stays in the environment of the first run unless the request names another one', async () => {
  const ana = await world.addPerson();
  const processID = await addProcessWithRun(ana);
  const environmentOfStart = async (body: object) => {
    await ana.must('POST', `${PATH}/rerun`, { matrix: { token: 'typed' }, ...body });
    return world.fakeExecution.starts.at(-1)?.environmentID;
  };
  expect(await environmentOfStart({})).toBe(run.environmentID);
  const other = await addEnvironment(ana);
  expect(await environmentOfStart({ environmentID: other })).toBe(other);
  // A holder of a share reaches only the environment that the process has registered, not the owner's other
  // environments.
  const { environmentID } = await ana.must('GET', `/processes/${processID}`);
  const registered = { ...run, processID, environmentID: requireText(environmentID) };
  world.fakeExecution.runDetailsReply = { run: registered, values: VALUES };
  expect(await environmentOfStart({})).toBeUndefined();
});

test('a further run without a Secreto that had a value is refused with the names of the missing ones', async () => {
  const ana = await world.addPerson();
  await addProcessWithRun(ana);
  const starts = world.fakeExecution.starts.length;
  expect(await ana.refusal('POST', `${PATH}/rerun`, { matrix: { total: 1 } })).toEqual({
    error: '400 BAD_REQUEST',
    message: 'matrix: the values of Secretos are not kept; send token again',
  });
  expect(await ana.refusal('POST', `${PATH}/rerun`, { matrix: [] })).toMatchObject({ error: '400 BAD_REQUEST' });
  expect(world.fakeExecution.starts).toHaveLength(starts);
});

test('the value of a variable that has become a Secreto is neither shown nor used for a further run', async () => {
  const ana = await world.addPerson();
  const values = [
    { name: 'token', type: 'Texto', value: '1234' },
    { name: 'unused', type: 'Texto', value: null },
  ];
  await addProcessWithRun(ana, { values });
  expect((await ana.must('GET', `${PATH}/details`)).values).toEqual([
    { name: 'token', type: 'Secreto', value: null, secret: true },
    { name: 'unused', type: 'Secreto', value: null },
  ]);
  expect(await ana.refusal('POST', `${PATH}/rerun`)).toMatchObject({
    message: expect.stringMatching(/send token again/),
  });
  await ana.must('POST', `${PATH}/rerun`, { matrix: { token: 'typed' } });
  expect(world.fakeExecution.starts.at(-1)?.matrix).toEqual({ token: 'typed' });
});

test('the value of a variable that has become a Secreto is not shown after the variable was renamed or removed, and a further run does without it', async () => {
  const ana = await world.addPerson();
  const values = [
    { name: 'pin', type: 'Texto', value: '1234' },
    { name: 'total', type: 'Moeda', value: 5 },
    { name: 'key', type: 'Secreto', value: null, secret: true as const },
  ];
  const processID = await addProcessWithRun(ana, { values });
  const save = (matrix: object[]) => ana.must('PUT', `/processes/${processID}/matrix`, { matrix });
  const shown = async () => (await ana.must('GET', `${PATH}/details`)).values;
  const hidden = { type: 'Secreto', value: null, secret: true, removed: true };
  const withoutRemoved = [{ name: 'pin', ...hidden }, values[1], { name: 'key', ...hidden }];
  await save([{ name: 'total', type: 'Moeda' }]);
  expect(await shown()).toEqual(withoutRemoved);
  await save([
    { name: 'total', type: 'Moeda' },
    { name: 'code', type: 'Secreto' },
  ]);
  expect(await shown()).toEqual(withoutRemoved);
  await ana.must('POST', `${PATH}/rerun`);
  expect(world.fakeExecution.starts.at(-1)?.matrix).toEqual({ total: 5 });
});

test('a debug run and an instance whose values are not kept are not run again', async () => {
  const ana = await world.addPerson();
  const processID = await addProcessWithRun(ana, { values: null });
  expect(await ana.refusal('POST', `${PATH}/rerun`)).toMatchObject({ error: '409 CONFLICT' });
  world.fakeExecution.runDetailsReply = { run: { ...run, processID, trigger: 'debug' }, values: VALUES };
  expect(await ana.refusal('POST', `${PATH}/rerun`)).toMatchObject({ error: '409 CONFLICT' });
});

test('a further run needs the permission `execute`', async () => {
  const ana = await world.addPerson();
  const pid = await addProcessWithRun(ana);
  const [bia, carla, eva] = [
    await addShareHolder(world, ana, pid, { execute: true }),
    await addShareHolder(world, ana, pid, { edit: true }),
    await world.addPerson(),
  ];
  const body = { matrix: { token: 'typed' } };
  await bia.must('POST', `${PATH}/rerun`, body);
  expect(await carla.refusal('POST', `${PATH}/rerun`, body)).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await eva.refusal('POST', `${PATH}/rerun`, body)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
});
