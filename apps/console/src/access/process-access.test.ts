import { callDuringChange, revocations } from '../../../../test/support/call-during-change';
import { callWhileShareEnds } from '../../test/call-while-share-ends';
import { addProcess, addShareHolder, GREETING_FLOW } from '../../test/processes';
import { createWorld, listOf, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const ALL_PERMISSIONS = { execute: true, edit: true, api: true, schedule: true, delete: true, share: true };

test.each<[string, string, string, unknown]>([
  ['saves no flow', 'PUT', '/flow', { ...GREETING_FLOW, start: 'elsewhere' }],
  ['publishes nothing', 'POST', '/publish', undefined],
  ['replaces no Matrix', 'PUT', '/matrix', { matrix: [] }],
  ['changes no process', 'PATCH', '', { processName: 'Changed' }],
  ['deletes no process', 'DELETE', '', undefined],
])('an account whose share ends while it waits for the lock of the process %s', async (_, method, path, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana, { matrix: [{ name: 'total', type: 'Moeda' }] });
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  const state = async () => [
    await ana.must('GET', `/processes/${pid}`),
    await ana.must('GET', `/processes/${pid}/flow`),
  ];
  const before = await state();
  const refusal = await callWhileShareEnds(world, bia, pid, () =>
    bia.refusal(method, `/processes/${pid}${path}`, body),
  );
  expect(refusal).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await state()).toEqual(before);
});

test('an account whose share ends while it waits for the lock of the process revokes no key', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const id = requireText((await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'ERP' })).id);
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  const refusal = await callWhileShareEnds(world, bia, pid, () => bia.refusal('DELETE', `/keys/${id}`));
  expect(refusal).toMatchObject({ error: '404 NOT_FOUND' });
  expect(listOf(await ana.must('GET', `/processes/${pid}/keys`), 'keys')).toMatchObject([{ id, revokedAt: null }]);
});

interface Target {
  pid: string;
  /** A key of the process. */
  keyID: string;
  /** An address with which the process is shared. */
  email: string;
}

const ofProcess =
  (path: string) =>
  ({ pid }: Target) =>
    `/processes/${pid}${path}`;

test.each<[string, string, (target: Target) => string, unknown]>([
  ['saves no flow', 'PUT', ofProcess('/flow'), GREETING_FLOW],
  ['publishes nothing', 'POST', ofProcess('/publish'), undefined],
  ['replaces no Matrix', 'PUT', ofProcess('/matrix'), { matrix: [] }],
  ['changes no process', 'PATCH', ofProcess(''), { processName: 'Changed' }],
  ['deletes no process', 'DELETE', ofProcess(''), undefined],
  ['makes no key', 'POST', ofProcess('/keys'), { identifier: 'ERP' }],
  ['revokes no key', 'DELETE', ({ keyID }) => `/keys/${keyID}`, undefined],
  ['allows no key of the vault', 'PUT', ofProcess('/vault-keys'), { keys: ['TOKEN'] }],
  ['shares nothing', 'PUT', ofProcess('/shares/new@example.com'), ALL_PERMISSIONS],
  ['ends no share', 'DELETE', ({ pid, email }) => `/processes/${pid}/shares/${email}`, undefined],
])('an owner whose session ends while it waits for the lock of the process %s', async (_, method, path, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const keyID = requireText((await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'Old' })).id);
  const { email } = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  const before = await recordedActions(pid);
  const refusal = await callDuringChange(
    world.store,
    async (tx) => {
      await tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [pid]);
      await tx.write('DELETE FROM login_session WHERE account_id = ?', [ana.id]);
    },
    () => ana.refusal(method, path({ pid, keyID, email }), body),
  );
  expect(refusal).toMatchObject({ error: '401 INVALID_CREDENTIAL' });
  expect(await recordedActions(pid)).toEqual(before);
});

/** Each change records an action in its transaction. */
function recordedActions(processID: string): Promise<unknown[]> {
  return world.store.rows('SELECT event_id, action FROM management_event WHERE process_id = ? ORDER BY event_id', [
    processID,
  ]);
}

test.each<[string, keyof typeof revocations]>([
  ['blocked', 'access'],
  ['suspended with its company', 'company'],
])('an account that is %s while it waits for the lock of the process saves no flow', async (_, revocation) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  const refusal = await callDuringChange(
    world.store,
    (tx) => revocations[revocation](tx, pid, bia.id),
    () => bia.refusal('PUT', `/processes/${pid}/flow`, GREETING_FLOW),
  );
  expect(refusal).toMatchObject({ error: '403 OWNER_INACTIVE' });
  expect(
    await world.store.rows('SELECT 1 FROM management_event WHERE action = ? AND process_id = ?', ['flow.save', pid]),
  ).toEqual([]);
});
