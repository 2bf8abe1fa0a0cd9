import { lockMappings } from '@batuta/catalog';
import { webhook, type MappingEntry } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addCapture, storedText } from '../../test/captures';
import { addOrigin, addVariable, publish, register } from '../../test/registry';
import { startWorld, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

interface MappedOrigin {
  processID: string;
  id: string;
  total: string;
  token: string;
}

/** An origin of a process with a Moeda `total` and a Secreto `token`. */
async function createOrigin(mapping: { saved?: MappingEntry[]; unsaved?: MappingEntry[] } = {}): Promise<MappedOrigin> {
  const { processID } = await register(world.store);
  const total = await addVariable(world.store, processID, 'total', 'Moeda');
  const token = await addVariable(world.store, processID, 'token', 'Secreto');
  return { processID, id: await addOrigin(world.store, processID, mapping), total, token };
}

const entry = (pointer: string, variableId: string): MappingEntry => ({ pointer, variableId });
const mapping = (id: string) => world.rpc.call(webhook.mapping, { id });
const draft = (id: string, entries: MappingEntry[]) => world.rpc.call(webhook.draftMapping, { id, entries });
const save = (id: string) => world.rpc.call(webhook.saveMapping, { id });
const empty = { unsaved: null, saved: [], published: [] };

describe('a mapping', () => {
  test('is drafted, saved and published, and a change of one state leaves the others unchanged', async () => {
    const { processID, id, total, token } = await createOrigin();
    expect(await mapping(id)).toEqual(empty);
    const first = [entry('/total', total)];
    expect(await draft(id, first)).toEqual({ ...empty, unsaved: first });
    expect(await save(id)).toEqual({ ...empty, saved: first });
    await publish(world.store, processID, [{ originID: id, entries: first }]);
    const second = [entry('/amount', total), entry('/key', token)];
    expect(await draft(id, second)).toEqual({ unsaved: second, saved: first, published: first });
    expect(await save(id)).toEqual({ unsaved: null, saved: second, published: first });
    expect(await mapping(id)).toEqual({ unsaved: null, saved: second, published: first });
  });

  test('is shown as published from the current version only', async () => {
    const { processID, id, total } = await createOrigin();
    const other = await addOrigin(world.store, processID);
    await publish(world.store, processID, [{ originID: id, entries: [entry('/old', total)] }]);
    await publish(world.store, processID, [
      { originID: other, entries: [entry('/other', total)] },
      { originID: id, entries: [entry('/new', total)] },
    ]);
    expect((await mapping(id)).published).toEqual([entry('/new', total)]);
    expect((await mapping(await addOrigin(world.store, processID))).published).toEqual([]);
  });

  test('drafted with the saved entries in any order has no draft', async () => {
    const { processID, id, total, token } = await createOrigin();
    const saved = [entry('/total', total), entry('/key', token)];
    await draft(id, saved);
    await save(id);
    expect((await draft(id, [entry('/x', total)])).unsaved).toEqual([entry('/x', total)]);
    expect((await draft(id, saved.toReversed())).unsaved).toBeNull();
    const [published] = await world.store.transaction((tx) => lockMappings(tx, processID));
    expect(published).toMatchObject({ unsaved: false, saved });
  });

  test('can be emptied', async () => {
    const { id, total } = await createOrigin();
    await draft(id, [entry('/total', total)]);
    await save(id);
    expect((await draft(id, [])).unsaved).toEqual([]);
    expect(await save(id)).toEqual(empty);
  });

  test('can be saved again and without a draft', async () => {
    const { id, total } = await createOrigin();
    expect(await save(id)).toEqual(empty);
    await draft(id, [entry('/total', total)]);
    const saved = await save(id);
    expect(await save(id)).toEqual(saved);
  });

  test('keeps the entry of a variable that is renamed or deleted', async () => {
    const { id, total } = await createOrigin();
    await draft(id, [entry('/total', total)]);
    const saved = await save(id);
    await world.store.write("UPDATE matrix_variable SET name = 'sum' WHERE variable_id = ?", [total]);
    expect(await mapping(id)).toEqual(saved);
    await world.store.write('DELETE FROM matrix_variable WHERE variable_id = ?', [total]);
    expect(await mapping(id)).toEqual(saved);
    await expect(draft(id, [entry('/other', total)])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('stores only pointer and variable of an entry', async () => {
    const { id, total } = await createOrigin();
    const more = { ...entry('/total', total), note: 'x' };
    expect((await draft(id, [more])).unsaved).toEqual([entry('/total', total)]);
  });

  test.each<[string, (at: MappedOrigin, foreign: string) => MappingEntry[], RegExp]>([
    ['a malformed pointer', ({ total }) => [entry('total', total)], /^entries\.0\.pointer:/],
    ['a variable mapped twice', ({ total }) => [entry('/a', total), entry('/b', total)], /^entries\.1\.variableId:/],
    ['an unknown variable', () => [entry('/a', uuid())], /^entries\.0\.variableId:/],
    ['a variable of another process', (_, foreign) => [entry('/a', foreign)], /^entries\.0\.variableId:/],
  ])('with %s is refused, and the earlier draft stays', async (_, entries, message) => {
    const [at, foreign] = [await createOrigin(), await createOrigin()];
    await draft(at.id, [entry('/total', at.total)]);
    await expect(draft(at.id, entries(at, foreign.total))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(message),
    });
    expect((await mapping(at.id)).unsaved).toEqual([entry('/total', at.total)]);
  });

  test('of an unknown origin gives NOT_FOUND', async () => {
    const id = uuid();
    const answers = await Promise.allSettled([mapping(id), draft(id, []), save(id)]);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'NOT_FOUND' }) };
    expect(answers).toEqual([refused, refused, refused]);
  });

  test('drafted and saved at two replicas at once ends as exactly one of the drafts', async () => {
    const { id, total, token } = await createOrigin();
    const drafts = Array.from({ length: 6 }, (_, n) => [entry(`/total${n}`, total), entry(`/key${n}`, token)]);
    await Promise.all(drafts.flatMap((entries) => [draft(id, entries), save(id)]));
    const { saved, unsaved } = await save(id);
    expect(unsaved).toBeNull();
    expect(drafts).toContainEqual(saved);
  });
});

describe('saving a mapping to a Secreto', () => {
  const body = '{"id":7,"card":{"number":"4111-1111","holder":"Ana"},"card2":"4111-1111"}';

  test('removes its values from the stored captures of the origin and leaves all others', async () => {
    const { id, token } = await createOrigin();
    const captureID = await addCapture(world.store, id, {
      body,
      query: 'key=k-4242&page=1',
      headers: { 'x-secret': 's-5151', 'x-event': 'order' },
    });
    await draft(id, [entry('/card/number', token)]);
    expect(await storedText(world.store, captureID)).toContain('4111-1111');
    await save(id);
    const stored = await storedText(world.store, captureID);
    expect(stored).toContain('«•••»');
    for (const kept of ['"id":7', 'Ana', '"card2":"4111-1111"', 'k-4242', 's-5151']) expect(stored).toContain(kept);
    expect(stored).not.toContain('"number":"4111-1111"');
  });

  test.each([
    ['a field of the query', '/_query/key', 'k-4242'],
    ['a header', '/_headers/x-secret', 's-5151'],
    ['a node that contains the value', '/card', '4111'],
    ['the whole body', '', '4111'],
    ['the whole query', '/_query', 'k-4242'],
    ['all headers', '/_headers', 's-5151'],
  ])('removes all of %s', async (_, pointer, secret) => {
    const { id, token } = await createOrigin();
    const captureID = await addCapture(world.store, id, {
      body: '{"card":{"number":"4111"}}',
      query: 'key=k-4242',
      headers: { 'x-secret': 's-5151' },
    });
    await draft(id, [entry(pointer, token)]);
    await save(id);
    expect(await storedText(world.store, captureID)).not.toContain(secret);
    const shown = JSON.stringify(await world.rpc.call(webhook.findCapture, { captureID }));
    expect(shown).toContain('«•••»');
    expect(shown).not.toContain(secret);
  });

  test('removes the whole text of a truncated capture', async () => {
    const { id, token } = await createOrigin();
    const captureID = await addCapture(world.store, id, { body: '{"card":"4111', truncated: true });
    await draft(id, [entry('/elsewhere', token)]);
    await save(id);
    expect(await storedText(world.store, captureID)).not.toContain('4111');
    expect(await world.rpc.call(webhook.findCapture, { captureID })).toMatchObject({ truncated: true, text: '' });
  });

  test('does not change captures of other origins, nor any capture when no Secreto is mapped', async () => {
    const { processID, id, total } = await createOrigin();
    const other = await addOrigin(world.store, processID);
    const captured = await Promise.all([id, other].map((origin) => addCapture(world.store, origin, { body })));
    const before = await Promise.all(captured.map((captureID) => storedText(world.store, captureID)));
    await draft(id, [entry('/card/number', total)]);
    await save(id);
    expect(await Promise.all(captured.map((captureID) => storedText(world.store, captureID)))).toEqual(before);
  });

  test('also removes its values from captures that are stored at that moment', async () => {
    const { processID, id, token } = await createOrigin();
    const call = { originID: id, processID, query: '', headers: {}, signed: false };
    const sent = Buffer.from('{"card":"4111"}').toString('base64');
    const captures = Array.from({ length: 8 }, () => world.rpc.call(webhook.capture, { ...call, body: sent }));
    await draft(id, [entry('/card', token)]);
    await save(id);
    for (const { captureId } of await Promise.all(captures)) {
      expect(await storedText(world.store, captureId)).toContain('«•••»');
    }
  });

  test('changes all captures or none', async () => {
    const { id, token } = await createOrigin();
    const good = await addCapture(world.store, id, { body });
    const broken = await addCapture(world.store, id, { body: 'no JSON' });
    await draft(id, [entry('/card', token)]);
    await expect(save(id)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await storedText(world.store, good)).toContain('4111-1111');
    expect((await mapping(id)).saved).toEqual([]);
    await world.rpc.call(webhook.removeCapture, { captureID: broken });
    await save(id);
    expect(await storedText(world.store, good)).not.toContain('"4111-1111","holder"');
  });
});
