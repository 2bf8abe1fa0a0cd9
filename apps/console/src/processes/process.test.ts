import { Store } from '@batuta/database';
import { addEnvironment, GREETING_FLOW, UNKNOWN_ID, addProcess, addShareHolder } from '../../test/processes';
import { createWorld, listOf, planBody, requireText, type ConsoleWorld, type TestPerson } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeExecution.inUseCount = 0;
});

test('a process is registered with its Matrix, unpublished and BLOQUEADO', async () => {
  const ana = await world.addPerson();
  const environmentID = await addEnvironment(ana);
  const created = await ana.call('POST', '/processes', {
    processName: 'Orders',
    description: 'Takes orders',
    environmentID,
    avgHumanTime: '100:15:59',
    avgOperatorCost: 42.5,
    matrix: [
      { name: 'total', type: 'Moeda', default: 'R$ 1.234,56' },
      { name: 'token', type: 'Secreto', default: '' },
      { name: 'note', type: 'Texto' },
    ],
  });
  expect(created.status).toBe(201);
  const processID = requireText(created.body.processID);
  const id = expect.any(String);
  expect(await ana.must('GET', `/processes/${processID}`)).toEqual({
    processID,
    processName: 'Orders',
    description: 'Takes orders',
    environmentID,
    active: true,
    paused: false,
    currentVersion: 0,
    owned: true,
    apiPermission: 'BLOQUEADO',
    apiAccess: true,
    avgHumanTime: '100:15:59',
    avgOperatorCost: 42.5,
    createdAt: expect.any(String),
    matrix: [
      { id, name: 'total', type: 'Moeda', default: 1234.56 },
      { id, name: 'token', type: 'Secreto', default: '' },
      { id, name: 'note', type: 'Texto', default: '' },
    ],
  });
});

test.each<[string, string, Record<string, unknown>]>([
  ['BAD_REQUEST', 'processName: is required', { processName: undefined }],
  ['BAD_REQUEST', 'processName: is empty', { processName: ' ' }],
  ['BAD_REQUEST', 'processName: is longer than 120 characters', { processName: 'x'.repeat(121) }],
  ['BAD_REQUEST', 'description: is longer than 2000 characters', { description: 'x'.repeat(2_001) }],
  ['BAD_REQUEST', 'environmentID: is not an id', { environmentID: 'x' }],
  ['BAD_REQUEST', 'avgHumanTime: must be HH:MM:SS, such as 00:15:00', { avgHumanTime: '00:60:00' }],
  ['BAD_REQUEST', 'avgHumanTime: must be HH:MM:SS, such as 00:15:00', { avgHumanTime: '1:00:00' }],
  ['BAD_REQUEST', 'avgHumanTime: must be HH:MM:SS, such as 00:15:00', { avgHumanTime: '1000:00:00' }],
  ['BAD_REQUEST', 'avgOperatorCost: must be at least 0', { avgOperatorCost: -0.01 }],
  ['BAD_REQUEST', 'avgOperatorCost: has more than two decimals', { avgOperatorCost: 1.005 }],
  ['BAD_REQUEST', 'avgOperatorCost: must be a number', { avgOperatorCost: '1,00' }],
  ['BAD_REQUEST', 'matrix: must be a list', { matrix: {} }],
  ['BAD_REQUEST', 'matrix.0.name: is required', { matrix: [{ type: 'Texto' }] }],
  ['BAD_REQUEST', 'matrix.0.id: is not a known field', { matrix: [{ id: UNKNOWN_ID, name: 'a', type: 'Texto' }] }],
  ['BAD_REQUEST', 'owner: is not a known field', { owner: UNKNOWN_ID }],
  ['INVALID_MATRIX', 'total: ', { matrix: [{ name: 'total', type: 'Número', default: 'x' }] }],
])('a process is refused with %s %s, and nothing of it is stored', async (code, message, fields) => {
  const ana = await world.addPerson();
  const body = { processName: 'Orders', ...fields };
  expect(await ana.refusal('POST', '/processes', body)).toEqual({
    error: `400 ${code}`,
    message: expect.stringContaining(message),
  });
  expect(await ana.must('GET', '/processes')).toEqual({ processes: [] });
});

test('the environment of a process must be the owner’s own or shared by its company', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const stranger = await world.addPerson();
  const [own, shared, adminsOwn, strangers] = await Promise.all([
    addEnvironment(member),
    addEnvironment(admin),
    addEnvironment(admin),
    addEnvironment(stranger),
  ]);
  await admin.must('PATCH', `/environments/${shared}`, { shared: true });
  const pid = await addProcess(member, { environmentID: own });
  for (const environmentID of [own, shared, null]) {
    expect(await member.must('PATCH', `/processes/${pid}`, { environmentID })).toMatchObject({ environmentID });
  }
  for (const environmentID of [adminsOwn, strangers, UNKNOWN_ID]) {
    const refused = { error: '400 INVALID_ENVIRONMENT', message: expect.stringContaining(environmentID) };
    expect(await member.refusal('PATCH', `/processes/${pid}`, { environmentID })).toEqual(refused);
    expect(await member.refusal('POST', '/processes', { processName: 'Other', environmentID })).toEqual(refused);
  }
  // An editor may choose an environment that the owner reaches, but not one that only the editor reaches.
  const editor = await addShareHolder(world, member, pid, { edit: true });
  const editors = await addEnvironment(editor);
  expect(await editor.must('PATCH', `/processes/${pid}`, { environmentID: own })).toMatchObject({ owned: false });
  expect(await editor.refusal('PATCH', `/processes/${pid}`, { environmentID: editors })).toMatchObject({
    error: '400 INVALID_ENVIRONMENT',
  });
});

test('the list of processes counts the webhook origins of each process, and those that are switched on, for accounts that may edit it', async () => {
  const ana = await world.addPerson();
  const [idle, busy] = [await addProcess(ana), await addProcess(ana)];
  for (const enabled of [true, true, false]) {
    await world.store.write(
      `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, enabled, mapping_saved, created_at)
       VALUES (UUID(), ?, 'Shop', 'Imediata', 30, ?, '[]', UTC_TIMESTAMP(3))`,
      [busy, enabled],
    );
  }
  const editor = await addShareHolder(world, ana, busy, { edit: true });
  const caller = await addShareHolder(world, ana, busy, { execute: true });
  const countsOf = async (person: TestPerson) => {
    const processes = listOf(await person.must('GET', '/processes'), 'processes');
    return Object.fromEntries(processes.map(({ processID, origins }) => [processID, origins]));
  };
  const counted = { total: 3, enabled: 2 };
  expect(await countsOf(ana)).toEqual({ [busy]: counted, [idle]: { total: 0, enabled: 0 } });
  expect(await countsOf(editor)).toEqual({ [busy]: counted });
  expect(await countsOf(caller)).toEqual({ [busy]: undefined });
});

test('a process says whether the plan of its owner’s company has API access', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const guest = await addShareHolder(world, ana, pid, { api: true });
  const { id } = await world.operator.must('POST', '/plans', { ...planBody('Without API'), apiAccess: false });
  await world.operator.must('PATCH', `/companies/${ana.companyID}`, { planId: id });
  for (const person of [ana, guest]) {
    expect(await person.must('GET', `/processes/${pid}`)).toMatchObject({ apiAccess: false });
  }
});

test('a change of a process keeps the fields that it does not name', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana, { description: 'As it was' })}`;
  const before = await ana.must('GET', path);
  const change = {
    processName: 'Pedidos',
    active: false,
    paused: true,
    apiPermission: 'LIBERADO',
    avgOperatorCost: 0.1,
  };
  expect(await ana.must('PATCH', path, change)).toEqual({ ...before, ...change });
  expect(await ana.must('PATCH', path, { active: true })).toEqual({ ...before, ...change, active: true });
});

test.each<[string, unknown]>([
  ['body: has no field to change', {}],
  ['apiPermission: must be one of LIBERADO, BLOQUEADO', { apiPermission: 'true' }],
  ['active: must be true or false', { active: 'sim' }],
  ['matrix: is not a known field', { matrix: [] }],
  ['currentVersion: is not a known field', { currentVersion: 9 }],
])('a change of a process is refused with: %s', async (message, body) => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}`;
  expect(await ana.refusal('PATCH', path, body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('the list of processes holds own and shared ones, newest first, and continues after the process that `before` names', async () => {
  const [ana, bia] = await Promise.all([world.addPerson({ name: 'Ana' }), world.addPerson()]);
  const first = await addProcess(bia, { processName: 'First' });
  const second = await addProcess(ana, { processName: 'Second' });
  const third = await addProcess(bia, { processName: 'Third' });
  await addProcess(ana, { processName: 'Not shared' });
  await ana.must('PUT', `/processes/${second}/shares/${bia.email}`, { execute: true });
  const processes = listOf(await bia.must('GET', '/processes'), 'processes');
  expect(processes.map(({ processID }) => processID)).toEqual([third, second, first]);
  expect(processes[0]).not.toHaveProperty('ownerName');
  expect(processes[1]).toMatchObject({
    owned: false,
    ownerName: 'Ana',
    permissions: { execute: true, edit: false, api: false, schedule: false, delete: false, share: false },
  });
  const page = listOf(await bia.must('GET', `/processes?limit=1&before=${third}`), 'processes');
  expect(page.map(({ processID }) => processID)).toEqual([second]);
});

describe('reading of the list', () => {
  const readRows: Store['rows'] = Reflect.get(Store.prototype, 'rows');
  let rowReads: jest.SpyInstance;
  beforeEach(() => {
    rowReads = jest.spyOn(Store.prototype, 'rows');
  });
  afterEach(() => rowReads.mockRestore());

  test('a page of processes is not shorter because one of them is deleted while it is read', async () => {
    const ana = await world.addPerson();
    const [first, second, third] = [await addProcess(ana), await addProcess(ana), await addProcess(ana)];
    rowReads.mockImplementation(async (sql, parameters) => {
      const found = await Reflect.apply(readRows, world.store, [sql, parameters]);
      if (sql.includes('FROM process_share')) {
        await world.store.write('DELETE FROM process WHERE process_id = ?', [third]);
      }
      return found;
    });
    const processes = listOf(await ana.must('GET', '/processes?limit=2'), 'processes');
    expect(processes.map(({ processID }) => processID)).toEqual([second, first]);
  });
});

test('a process is deleted with its versions, keys and shares, unless it has queued or running instances', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana, { matrix: [{ name: 'a', type: 'Texto' }] });
  await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'ERP' });
  const bia = await addShareHolder(world, ana, pid, { execute: true });
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  await ana.must('POST', `/processes/${pid}/publish`);
  world.fakeExecution.inUseCount = 1;
  expect(await ana.refusal('DELETE', `/processes/${pid}`)).toMatchObject({ error: '409 CONFLICT' });
  expect(world.fakeExecution.inUseRequests.at(-1)).toMatchObject({ processID: pid });
  world.fakeExecution.inUseCount = 0;
  expect(await ana.must('DELETE', `/processes/${pid}`)).toEqual({ ok: true });
  for (const table of ['process', 'process_key', 'process_share', 'process_version', 'matrix_variable']) {
    expect(await world.store.rows(`SELECT 1 FROM ${table} WHERE process_id = ?`, [pid])).toEqual([]);
  }
  for (const caller of [ana, bia]) {
    expect(await caller.refusal('GET', `/processes/${pid}`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  }
});

const PROCESS_ROUTES: [string, string, unknown, string | undefined][] = [
  ['GET', '', undefined, undefined],
  ['PATCH', '', { active: true }, 'edit'],
  ['DELETE', '', undefined, 'delete'],
  ['GET', '/matrix', undefined, undefined],
  ['PUT', '/matrix', { matrix: [] }, 'edit'],
  ['GET', '/flow', undefined, 'edit'],
  ['PUT', '/flow', GREETING_FLOW, 'edit'],
  ['POST', '/publish', undefined, 'edit'],
  ['GET', '/versions', undefined, undefined],
  ['GET', '/keys', undefined, 'api'],
  ['GET', '/shares', undefined, 'share'],
  ['PUT', '/shares/nobody@example.com', {}, 'share'],
  ['DELETE', '/shares/nobody@example.com', undefined, 'share'],
  ['POST', '/run', {}, 'execute'],
  ['GET', '/instances', undefined, undefined],
  ['GET', '/audit', undefined, 'edit'],
];

test.each(PROCESS_ROUTES)('%s processes/:pid%s requires its permission', async (method, rest, body, permission) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const others = { execute: true, edit: true, api: true, schedule: true, delete: true, share: true };
  const without = permission === undefined ? {} : { ...others, [permission]: false };
  const lacking = await addShareHolder(world, ana, pid, without);
  const permitted = await addShareHolder(world, ana, pid, permission === undefined ? {} : { [permission]: true });
  const outcome = async (caller: typeof ana) => {
    const { status, body: answer } = await caller.call(method, `/processes/${pid}${rest}`, body);
    return status === 403 ? `403 ${JSON.stringify(answer)}` : 'let in';
  };
  expect(await outcome(lacking)).toBe(
    permission === undefined
      ? 'let in'
      : `403 {"error":{"code":"FORBIDDEN","message":"The share lacks the permission ${permission}."}}`,
  );
  expect(await outcome(permitted)).toBe('let in');
});

test.each([...PROCESS_ROUTES, ['POST', '/keys', { identifier: 'a' }, undefined] as const])(
  '%s processes/:pid%s answers a stranger as if the process did not exist',
  async (method, rest, body) => {
    const [ana, stranger] = await Promise.all([world.addPerson(), world.addPerson({ role: 'administrator' })]);
    const pid = await addProcess(ana);
    const foreign = await stranger.refusal(method, `/processes/${pid}${rest}`, body);
    expect(foreign.error).toBe('404 PROCESS_NOT_FOUND');
    expect(await stranger.refusal(method, `/processes/${UNKNOWN_ID}${rest}`, body)).toEqual(foreign);
    expect(await ana.refusal(method, `/processes/not-an-id${rest}`, body)).toMatchObject({
      error: '400 INVALID_PROCESS_ID',
    });
  },
);

test('only the owner generates keys, also when a share has every permission', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const all = { execute: true, edit: true, api: true, schedule: true, delete: true, share: true };
  const bia = await addShareHolder(world, ana, pid, all);
  expect(await bia.refusal('POST', `/processes/${pid}/keys`, { identifier: 'a' })).toEqual({
    error: '403 FORBIDDEN',
    message: 'Only the owner of the process may do this.',
  });
});

test('operators cannot have processes', async () => {
  expect(await world.operator.refusal('GET', '/processes')).toMatchObject({ error: '403 FORBIDDEN' });
});
