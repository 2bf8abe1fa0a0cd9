import { callDuringChange, endings } from '../../../../test/support/call-during-change';
import { callWhileShareEnds } from '../../test/ended-share';
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
  const ana = await world.person();
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
  const ana = await world.person();
  const pid = await addProcess(ana);
  const id = requireText((await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'ERP' })).id);
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  const refusal = await callWhileShareEnds(world, bia, pid, () => bia.refusal('DELETE', `/keys/${id}`));
  expect(refusal).toMatchObject({ error: '404 NOT_FOUND' });
  expect(listOf(await ana.must('GET', `/processes/${pid}/keys`), 'keys')).toMatchObject([{ id, revokedAt: null }]);
});

test.each<[string, keyof typeof endings]>([
  ['blocked', 'access'],
  ['suspended with its company', 'company'],
])('an account that is %s while it waits for the lock of the process saves no flow', async (_, ending) => {
  const ana = await world.person();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  const refusal = await callDuringChange(
    world.store,
    (tx) => endings[ending](tx, pid, bia.id),
    () => bia.refusal('PUT', `/processes/${pid}/flow`, GREETING_FLOW),
  );
  expect(refusal).toMatchObject({ error: '403 OWNER_INACTIVE' });
  expect(
    await world.store.rows('SELECT 1 FROM management_event WHERE action = ? AND process_id = ?', ['flow.save', pid]),
  ).toEqual([]);
});
