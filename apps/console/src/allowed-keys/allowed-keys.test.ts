import { addProcess, addShareHolder } from '../../test/processes';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const flowWith = (key: string) => ({
  start: 'call',
  steps: [{ name: 'call', type: 'rest', method: 'GET', url: `http://x/{vault.${key}}` }],
});
const ALL_PERMISSIONS = { execute: true, edit: true, api: true, schedule: true, delete: true, share: true };

test('the owner allows and withdraws vault keys, with an audit event for each change', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/vault-keys`;
  expect(await ana.must('GET', path)).toEqual({ keys: [] });
  expect(await ana.must('PUT', path, { keys: ['b', 'A.1', 'b'] })).toEqual({ keys: ['A.1', 'b'] });
  expect(await ana.must('PUT', path, { keys: ['b', 'B'] })).toEqual({ keys: ['B', 'b'] });
  expect(await ana.must('GET', path)).toEqual({ keys: ['B', 'b'] });
  const events = world.fakeExecution.recordedAudits.filter(({ processID }) => processID === pid);
  const event = { processID: pid, accountID: ana.id, action: 'vault-keys', executor: ana.email };
  expect(events).toEqual([
    { ...event, detail: { keys: ['A.1', 'b'] } },
    { ...event, detail: { keys: ['B', 'b'] } },
  ]);
});

test('the allowed vault keys stay as they are when the audit event cannot be recorded', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/vault-keys`;
  await ana.must('PUT', path, { keys: ['KEPT'] });
  world.fakeExecution.auditFails = true;
  expect(await ana.refusal('PUT', path, { keys: [] })).toMatchObject({ error: '503 UNAVAILABLE' });
  world.fakeExecution.auditFails = false;
  expect(await ana.must('GET', path)).toEqual({ keys: ['KEPT'] });
});

test('no other transaction waits for a process while execution records the audit event of its vault keys', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const lock = 'SELECT 1 AS found FROM process WHERE process_id = ? FOR UPDATE NOWAIT';
  world.fakeExecution.beforeAudit = (processID) => world.store.rows(lock, [processID]);
  expect(await ana.must('PUT', `/processes/${pid}/vault-keys`, { keys: ['A'] })).toEqual({ keys: ['A'] });
  world.fakeExecution.beforeAudit = async () => {};
});

test('an account with every permission of a share reads the allowed keys and cannot change them', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/vault-keys`;
  await ana.must('PUT', path, { keys: ['TOKEN'] });
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  expect(await bia.must('GET', path)).toEqual({ keys: ['TOKEN'] });
  expect(await bia.refusal('PUT', path, { keys: ['TOKEN', 'OTHER'] })).toMatchObject({ error: '403 FORBIDDEN' });
  const carl = await addShareHolder(world, ana, pid, { ...ALL_PERMISSIONS, edit: false });
  expect(await carl.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  const stranger = await world.addPerson();
  expect(await stranger.refusal('PUT', path, { keys: [] })).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
});

test('a flow that refers to a key outside the list is saved with a problem and not published', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { edit: true });
  await ana.must('PUT', `/processes/${pid}/vault-keys`, { keys: ['TOKEN'] });
  const problem = 'the process may not use this vault key; the owner of the process has to allow it';
  expect(await bia.must('PUT', `/processes/${pid}/flow`, flowWith('BANK'))).toMatchObject({
    problems: [{ path: '/steps/0/url', message: `{vault.BANK}: ${problem}` }],
  });
  for (const person of [bia, ana]) {
    expect(await person.refusal('POST', `/processes/${pid}/publish`)).toEqual({
      error: '400 BAD_REQUEST',
      message: `/steps/0/url: {vault.BANK}: ${problem}`,
    });
  }
  expect(await bia.must('PUT', `/processes/${pid}/flow`, flowWith('TOKEN'))).toMatchObject({ problems: [] });
  expect(await bia.must('POST', `/processes/${pid}/publish`)).toEqual({ version: 1, warnings: [] });
});

test('the list of allowed keys is deleted with its process', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  await ana.must('PUT', `/processes/${pid}/vault-keys`, { keys: ['TOKEN'] });
  await ana.must('DELETE', `/processes/${pid}`);
  expect(await world.store.rows('SELECT * FROM process_vault_key WHERE process_id = ?', [pid])).toEqual([]);
});

test.each<[string, unknown]>([
  ['keys: is required', {}],
  ['keys: must be a list', { keys: 'TOKEN' }],
  ['keys: must contain texts only', { keys: [1] }],
  ['keys: has more than 500 items', { keys: Array.from({ length: 501 }, (_, n) => `k${n}`) }],
  ['keys: each must be 1 to 80 letters, digits, underscores, dots or dashes', { keys: ['TOKEN', 'a b'] }],
  ['note: is not a known field', { keys: [], note: 'x' }],
])('a list of allowed keys is refused with: %s', async (message, body) => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/vault-keys`;
  expect(await ana.refusal('PUT', path, body)).toEqual({ error: '400 BAD_REQUEST', message });
});
