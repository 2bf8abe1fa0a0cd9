import type { MappingEntry } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { GREETING_FLOW, addProcess } from '../../test/processes';
import { createWorld, listOf, requireText, type TestPerson, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

/** An origin as the webhook service stores it. */
async function addOrigin(processID: string, name: string, saved: MappingEntry[], draft?: MappingEntry[]) {
  const id = uuid();
  await world.store.write(
    `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, mapping_draft, mapping_saved, created_at)
     VALUES (?, ?, ?, 'Imediata', 30, ?, ?, UTC_TIMESTAMP(3))`,
    [id, processID, name, draft ? JSON.stringify(draft) : null, JSON.stringify(saved)],
  );
  return id;
}

/** A process that can be published, and the ids of its variables. */
async function publishableProcess(owner: TestPerson) {
  const variables = ['total', 'buyer'].map((name) => ({ name, type: 'Texto' }));
  const pid = await addProcess(owner, { matrix: variables });
  const path = `/processes/${pid}`;
  await owner.must('PUT', `${path}/flow`, GREETING_FLOW);
  const matrix = listOf(await owner.must('GET', `${path}/matrix`), 'matrix');
  const [total = '', buyer = ''] = matrix.map(({ id }) => requireText(id));
  return { pid, path, matrix, total, buyer };
}

async function publishedMappings(pid: string): Promise<unknown[]> {
  const rows = await world.store.rows<{ mappings: string }>(
    'SELECT mappings FROM process_version WHERE process_id = ? ORDER BY version',
    [pid],
  );
  return rows.map(({ mappings }): unknown => JSON.parse(mappings));
}

test('a version freezes the saved mapping of every origin, and later changes leave it as it is', async () => {
  const ana = await world.addPerson();
  const { pid, path, total, buyer } = await publishableProcess(ana);
  const entries = [
    { pointer: '/order/total', variableId: total },
    { pointer: '', variableId: buyer },
  ];
  const first = await addOrigin(pid, 'Payments', entries);
  const second = await addOrigin(pid, 'Chat', []);
  await addOrigin((await publishableProcess(ana)).pid, 'Of another process', entries, entries);
  expect(await ana.must('POST', `${path}/publish`)).toEqual({ version: 1, warnings: [] });
  await world.store.write('UPDATE origin SET mapping_saved = ? WHERE origin_id = ?', ['[]', first]);
  const frozen = [
    { originID: first, entries },
    { originID: second, entries: [] },
  ];
  expect(await publishedMappings(pid)).toEqual([frozen]);
  await world.store.write('DELETE FROM origin WHERE origin_id = ?', [second]);
  await ana.must('POST', `${path}/publish`);
  expect(await publishedMappings(pid)).toEqual([frozen, [{ originID: first, entries: [] }]]);
});

test('an unsaved mapping refuses the publication, which names every such origin', async () => {
  const ana = await world.addPerson();
  const { pid, path, total } = await publishableProcess(ana);
  const entries = [{ pointer: '/a', variableId: total }];
  await addOrigin(pid, 'Payments', [], entries);
  await addOrigin(pid, 'Saved', entries);
  // An empty draft counts as an unsaved change as well.
  await addOrigin(pid, 'Chat', entries, []);
  expect(await ana.refusal('POST', `${path}/publish`)).toEqual({
    error: '409 MAPPING_UNSAVED',
    message: 'The mapping has changes that were not saved, of the origin "Payments", "Chat".',
  });
  expect(await publishedMappings(pid)).toEqual([]);
  expect(await ana.must('GET', path)).toMatchObject({ currentVersion: 0 });
  await world.store.write('UPDATE origin SET mapping_draft = NULL WHERE process_id = ?', [pid]);
  expect(await ana.must('POST', `${path}/publish`)).toEqual({ version: 1, warnings: [] });
});

test('a field mapped to a deleted variable refuses the publication, which names the field', async () => {
  const ana = await world.addPerson();
  const { pid, path, matrix, total, buyer } = await publishableProcess(ana);
  await addOrigin(pid, 'Payments', [
    { pointer: '/order/total', variableId: total },
    { pointer: '/buyer', variableId: buyer },
  ]);
  const renamed = matrix.filter(({ id }) => id === total).map((variable) => ({ ...variable, name: 'sum' }));
  await ana.must('PUT', `${path}/matrix`, { matrix: renamed });
  const message = `origin "Payments": "/buyer" is mapped to the variable ${buyer}, which is gone`;
  expect(await ana.refusal('POST', `${path}/publish`)).toEqual({ error: '400 BAD_REQUEST', message });
  // The problem of the mapping is not among the problems of the flow: the flow may still be edited and run in debug
  // mode.
  expect(await ana.must('GET', `${path}/flow`)).toMatchObject({ problems: [] });
  await ana.must('PUT', `${path}/flow`, { start: 'nowhere', steps: GREETING_FLOW.steps });
  expect(await ana.refusal('POST', `${path}/publish`)).toMatchObject({
    message: `/start: no step is named "nowhere"; ${message}`,
  });
});

test('renaming a variable keeps its mapping', async () => {
  const ana = await world.addPerson();
  const { pid, path, matrix, total } = await publishableProcess(ana);
  const originID = await addOrigin(pid, 'Payments', [{ pointer: '/order/total', variableId: total }]);
  const renamed = matrix.map((variable, index) => ({ ...variable, name: `other${index}` }));
  await ana.must('PUT', `${path}/matrix`, { matrix: renamed });
  await ana.must('POST', `${path}/publish`);
  const entries = [{ pointer: '/order/total', variableId: total }];
  expect(await publishedMappings(pid)).toEqual([[{ originID, entries }]]);
});

/** True while a statement waits for the lock of the origins. */
async function originsAreAwaited(): Promise<boolean> {
  const waiting = await world.store.rows(
    'SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE ?',
    ['%FROM origin%LOCK IN SHARE MODE%'],
  );
  return waiting.length > 0;
}

test('publishing waits for a mapping that is being saved, so that a version has the whole mapping or is refused', async () => {
  const ana = await world.addPerson();
  const { pid, path, total } = await publishableProcess(ana);
  const entries = [{ pointer: '/a', variableId: total }];
  const originID = await addOrigin(pid, 'Payments', [], entries);
  const publishing = await world.store.transaction(async (tx) => {
    await tx.write('UPDATE origin SET mapping_saved = mapping_draft, mapping_draft = NULL WHERE origin_id = ?', [
      originID,
    ]);
    const answer = ana.must('POST', `${path}/publish`);
    await waitUntil('publishing waits for the origin', originsAreAwaited);
    return { answer };
  });
  expect(await publishing.answer).toEqual({ version: 1, warnings: [] });
  expect(await publishedMappings(pid)).toEqual([[{ originID, entries }]]);
});

test('deleting a process deletes its versions', async () => {
  const ana = await world.addPerson();
  const { pid, path, total } = await publishableProcess(ana);
  await addOrigin(pid, 'Payments', [{ pointer: '/a', variableId: total }]);
  await ana.must('POST', `${path}/publish`);
  await ana.must('DELETE', path);
  expect(await publishedMappings(pid)).toEqual([]);
  expect(await ana.refusal('GET', `${path}/versions`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
});
