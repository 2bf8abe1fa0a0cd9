import { hashSecret } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { waitUntil } from '../../../../test/support/wait-until';
import { addEnvironment, UNKNOWN_ID } from '../../test/processes';
import { createWorld, listOf, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeExecution.inUseCount = 0;
});

const listEnvironments = async (caller: ConsoleCaller) =>
  listOf(await caller.must('GET', '/environments'), 'environments');
const routersNotified = (id: string) =>
  waitUntil('routers are notified', () => world.fakeExecution.changedEnvironments.splice(0).includes(id));

test('an environment is added with an activation key that is shown once', async () => {
  const ana = await world.addPerson();
  const created = await ana.call('POST', '/environments', { name: 'Robots' });
  expect(created.status).toBe(201);
  const { environmentID, activationKey } = created.body;
  expect(activationKey).toMatch(/^bak_[\w-]{43}$/);
  expect(await listEnvironments(ana)).toEqual([
    {
      environmentID,
      name: 'Robots',
      description: '',
      online: false,
      offlineFlow: false,
      cancelQueueOnException: false,
      capacity: 1,
      envType: 'prod',
      os: 'windows',
      shared: false,
      owned: true,
    },
  ]);
  const row = await world.store.row<{ activation_key_hash: Buffer }>(
    'SELECT activation_key_hash FROM environment WHERE environment_id = ?',
    [environmentID],
  );
  expect(row?.activation_key_hash).toEqual(hashSecret(requireText(activationKey)));
});

test('an environment is online while an open session of an agent has a valid lease', async () => {
  const ana = await world.addPerson();
  const id = await addEnvironment(ana);
  const online = async () => (await listEnvironments(ana))[0]?.online;
  const session = (sessionID: string, lease: string, closed: string) =>
    world.store.write(
      `INSERT INTO agent_session VALUES (?, ?, 'r', 'a', '1', '[]', 1, UTC_TIMESTAMP(3),
         UTC_TIMESTAMP(3) + INTERVAL ${lease}, ${closed}, NULL)`,
      [sessionID, id],
    );
  await session('a', '-1 SECOND', 'NULL');
  await session('b', '1 HOUR', 'UTC_TIMESTAMP(3)');
  expect(await online()).toBe(false);
  await session('c', '1 HOUR', 'NULL');
  expect(await online()).toBe(true);
});

test('the connected agents of an environment are listed with their abilities to those who see it', async () => {
  const [ana, stranger] = [await world.addPerson(), await world.addPerson()];
  const id = await addEnvironment(ana);
  const session = (name: string, abilities: string, lease = '1 HOUR') =>
    world.store.write(
      `INSERT INTO agent_session VALUES (UUID(), ?, 'r', ?, '1.4.0', ?, 2, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ${lease}, NULL, 'SHA256:abc')`,
      [id, name, abilities],
    );
  await session('gone', '["script"]', '-1 SECOND');
  await session('office-pc', '["script","browser"]');
  expect(listOf(await ana.must('GET', `/environments/${id}/agents`), 'agents')).toEqual([
    {
      name: 'office-pc',
      runtimeVersion: '1.4.0',
      abilities: ['browser', 'script'],
      capacity: 2,
      connectedAt: expect.any(String),
      keyFingerprint: 'SHA256:abc',
    },
  ]);
  expect(await stranger.refusal('GET', `/environments/${id}/agents`)).toMatchObject({ error: '404 NOT_FOUND' });
});

test('an administrator shares its environment with the whole company and nobody else', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const stranger = await world.addPerson();
  const id = await addEnvironment(admin);
  expect(await listEnvironments(member)).toEqual([]);
  expect(await admin.must('PATCH', `/environments/${id}`, { shared: true })).toMatchObject({ shared: true });
  expect(await listEnvironments(member)).toMatchObject([{ environmentID: id, shared: true, owned: false }]);
  expect(await listEnvironments(stranger)).toEqual([]);
});

test('only administrators share environments, and only those that belong to administrators', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const path = `/environments/${await addEnvironment(member)}`;
  expect(await member.refusal('PATCH', path, { shared: true })).toEqual({
    error: '403 FORBIDDEN',
    message: 'shared: only an administrator changes it',
  });
  expect(await admin.refusal('PATCH', path, { shared: true })).toEqual({
    error: '403 FORBIDDEN',
    message: 'shared: the environment does not belong to an administrator',
  });
  expect(await admin.refusal('PATCH', path, { name: 'Mine' })).toEqual({
    error: '403 FORBIDDEN',
    message: 'name: only the owner changes it',
  });
});

test('the owner changes an environment, and routers are notified', async () => {
  const ana = await world.addPerson();
  const id = await addEnvironment(ana);
  const change = {
    name: 'Robôs',
    description: 'two\nlines',
    os: 'linux',
    envType: 'test',
    offlineFlow: true,
    cancelQueueOnException: true,
    capacity: 1_000,
  };
  expect(await ana.must('PATCH', `/environments/${id}`, change)).toMatchObject(change);
  expect(await listEnvironments(ana)).toMatchObject([change]);
  await routersNotified(id);
});

test('a change of an environment answers fields that another call has changed meanwhile', async () => {
  const ana = await world.addPerson();
  const id = await addEnvironment(ana, { name: 'Robots' });
  const change = (tx: Store) => tx.write("UPDATE environment SET name = 'Bots' WHERE environment_id = ?", [id]);
  const call = () => ana.must('PATCH', `/environments/${id}`, { description: 'Night shift' });
  expect(await callDuringChange(world.store, change, call, { blocked: 'write' })).toMatchObject({
    name: 'Bots',
    description: 'Night shift',
  });
});

test('a new activation key replaces the old one, and routers are notified', async () => {
  const ana = await world.addPerson();
  const { environmentID, activationKey } = await ana.must('POST', '/environments', { name: 'Robots' });
  const id = requireText(environmentID);
  const rotated = await ana.call('POST', `/environments/${id}/rotate-key`);
  expect(rotated.status).toBe(201);
  expect(rotated.body).toEqual({ environmentID, activationKey: expect.stringMatching(/^bak_/) });
  const found = (key: unknown) =>
    world.store.rows('SELECT 1 FROM environment WHERE activation_key_hash = ?', [hashSecret(requireText(key))]);
  expect(await found(activationKey)).toHaveLength(0);
  expect(await found(rotated.body.activationKey)).toHaveLength(1);
  await routersNotified(id);
});

test('an environment is deleted unless it has queued or running instances', async () => {
  const ana = await world.addPerson();
  const id = await addEnvironment(ana);
  world.fakeExecution.inUseCount = 2;
  expect(await ana.refusal('DELETE', `/environments/${id}`)).toEqual({
    error: '409 CONFLICT',
    message: 'The environment has 2 queued or running instances.',
  });
  expect(world.fakeExecution.inUseRequests.at(-1)).toMatchObject({ environmentID: id });
  world.fakeExecution.inUseCount = 1_000;
  expect(await ana.refusal('DELETE', `/environments/${id}`)).toMatchObject({
    message: 'The environment has 1000 or more queued or running instances.',
  });
  world.fakeExecution.inUseCount = 0;
  expect(await ana.must('DELETE', `/environments/${id}`)).toEqual({ ok: true });
  expect(await listEnvironments(ana)).toEqual([]);
  await routersNotified(id);
});

test.each<[string, string, string, unknown]>([
  ['changed', 'PATCH', '', { name: 'Office' }],
  ['given another activation key', 'POST', '/rotate-key', undefined],
  ['deleted', 'DELETE', '', undefined],
])(
  'an environment that was deleted meanwhile is NOT_FOUND when it is %s, and no action is recorded',
  async (...row) => {
    const [, method, path, body] = row;
    const ana = await world.addPerson();
    const id = await addEnvironment(ana);
    const refusal = await callDuringChange(
      world.store,
      (tx) => tx.write('DELETE FROM environment WHERE environment_id = ?', [id]),
      () => ana.refusal(method, `/environments/${id}${path}`, body),
      { blocked: 'write' },
    );
    expect(refusal).toMatchObject({ error: '404 NOT_FOUND' });
    expect(await world.store.rows('SELECT action FROM management_event WHERE object_id = ?', [id])).toEqual([
      { action: 'environment.add' },
    ]);
  },
);

test('a change that gives an environment the values that it has already is accepted', async () => {
  const ana = await world.addPerson();
  const id = await addEnvironment(ana, { name: 'Office' });
  expect(await ana.must('PATCH', `/environments/${id}`, { name: 'Office' })).toMatchObject({ name: 'Office' });
});

test('an environment of another account is NOT_FOUND, and FORBIDDEN when it is shared', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const strangers = [await world.addPerson(), await world.addPerson({ role: 'administrator' })];
  const id = await addEnvironment(admin);
  const calls = async (caller: ConsoleCaller, target: string) => [
    await caller.refusal('PATCH', `/environments/${target}`, { name: 'x' }),
    await caller.refusal('POST', `/environments/${target}/rotate-key`),
    await caller.refusal('DELETE', `/environments/${target}`),
  ];
  const notFound = { error: '404 NOT_FOUND', message: 'No such environment.' };
  const absent = [notFound, notFound, notFound];
  expect(await calls(admin, UNKNOWN_ID)).toEqual(absent);
  for (const caller of [member, ...strangers]) expect(await calls(caller, id)).toEqual(absent);
  await admin.must('PATCH', `/environments/${id}`, { shared: true });
  for (const refusal of await calls(member, id)) expect(refusal).toMatchObject({ error: '403 FORBIDDEN' });
});

test.each<[string, Record<string, unknown>]>([
  ['name: is empty', { name: '' }],
  ['name: is longer than 120 characters', { name: 'x'.repeat(121) }],
  ['name: has control characters', { name: 'a\tb' }],
  ['description: is longer than 2000 characters', { description: 'x'.repeat(2_001) }],
  ['description: has control characters', { description: 'a\u001bb' }],
  ['os: must be 1 to 40 letters, digits, dots, dashes or underscores', { os: 'win dows' }],
  ['envType: must be 1 to 40 letters, digits, dots, dashes or underscores', { envType: '' }],
  ['offlineFlow: must be true or false', { offlineFlow: 1 }],
  ['cancelQueueOnException: must be true or false', { cancelQueueOnException: null }],
  ['capacity: must be at least 1', { capacity: 0 }],
  ['capacity: must be at most 1000', { capacity: 1_001 }],
  ['activationKey: is not a known field', { activationKey: 'mine' }],
])('a new environment and a change of an environment are refused with: %s', async (message, fields) => {
  const ana = await world.addPerson();
  const refused = { error: '400 BAD_REQUEST', message };
  expect(await ana.refusal('POST', '/environments', { name: 'Robots', ...fields })).toEqual(refused);
  expect(await ana.refusal('PATCH', `/environments/${UNKNOWN_ID}`, fields)).toEqual(refused);
});

test('operators cannot have environments', async () => {
  expect(await world.operator.refusal('GET', '/environments')).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await world.operator.refusal('POST', '/environments', { name: 'a' })).toMatchObject({
    error: '403 FORBIDDEN',
  });
});
