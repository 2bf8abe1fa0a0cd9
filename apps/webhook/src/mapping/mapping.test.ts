import { lockMappings } from '@batuta/catalog';
import { webhook, type MappingEntry } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addCapture, readStoredText } from '../../test/captures';
import { addOrigin, addVariable, publishVersion, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
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
async function createOrigin(): Promise<MappedOrigin> {
  const { processID } = await registerProcess(world.store);
  const total = await addVariable(world.store, processID, 'total', 'Moeda');
  const token = await addVariable(world.store, processID, 'token', 'Secreto');
  return { processID, id: await addOrigin(world.store, processID), total, token };
}

const mappingEntry = (pointer: string, variableId: string): MappingEntry => ({ pointer, variableId });
const readMapping = (id: string) => world.rpc.call(webhook.mapping, { id });
const replaceDraft = (id: string, entries: MappingEntry[]) => world.rpc.call(webhook.draftMapping, { id, entries });
const saveMapping = (id: string) => world.rpc.call(webhook.saveMapping, { id });
const EMPTY_MAPPING = { unsaved: null, saved: [], published: [] };

describe('mappings', () => {
  test('a mapping is drafted, saved and published, and a change of one state leaves the others unchanged', async () => {
    const { processID, id, total, token } = await createOrigin();
    expect(await readMapping(id)).toEqual(EMPTY_MAPPING);
    const first = [mappingEntry('/total', total)];
    expect(await replaceDraft(id, first)).toEqual({ ...EMPTY_MAPPING, unsaved: first });
    expect(await saveMapping(id)).toEqual({ ...EMPTY_MAPPING, saved: first });
    await publishVersion(world.store, processID, [{ originID: id, entries: first }]);
    const second = [mappingEntry('/amount', total), mappingEntry('/key', token)];
    expect(await replaceDraft(id, second)).toEqual({ unsaved: second, saved: first, published: first });
    expect(await saveMapping(id)).toEqual({ unsaved: null, saved: second, published: first });
    expect(await readMapping(id)).toEqual({ unsaved: null, saved: second, published: first });
  });

  test('a mapping is shown as published from the current version only', async () => {
    const { processID, id, total } = await createOrigin();
    const other = await addOrigin(world.store, processID);
    await publishVersion(world.store, processID, [{ originID: id, entries: [mappingEntry('/old', total)] }]);
    await publishVersion(world.store, processID, [
      { originID: other, entries: [mappingEntry('/other', total)] },
      { originID: id, entries: [mappingEntry('/new', total)] },
    ]);
    expect((await readMapping(id)).published).toEqual([mappingEntry('/new', total)]);
    expect((await readMapping(await addOrigin(world.store, processID))).published).toEqual([]);
  });

  test('a mapping drafted with the saved entries in any order has no draft', async () => {
    const { processID, id, total, token } = await createOrigin();
    const saved = [mappingEntry('/total', total), mappingEntry('/key', token)];
    await replaceDraft(id, saved);
    await saveMapping(id);
    expect((await replaceDraft(id, [mappingEntry('/x', total)])).unsaved).toEqual([mappingEntry('/x', total)]);
    expect((await replaceDraft(id, saved.toReversed())).unsaved).toBeNull();
    const [published] = await world.store.transaction((tx) => lockMappings(tx, processID));
    expect(published).toMatchObject({ unsaved: false, saved });
  });

  test('a mapping can be emptied', async () => {
    const { id, total } = await createOrigin();
    await replaceDraft(id, [mappingEntry('/total', total)]);
    await saveMapping(id);
    expect((await replaceDraft(id, [])).unsaved).toEqual([]);
    expect(await saveMapping(id)).toEqual(EMPTY_MAPPING);
  });

  test('a mapping can be saved again and without a draft', async () => {
    const { id, total } = await createOrigin();
    expect(await saveMapping(id)).toEqual(EMPTY_MAPPING);
    await replaceDraft(id, [mappingEntry('/total', total)]);
    const saved = await saveMapping(id);
    expect(await saveMapping(id)).toEqual(saved);
  });

  test('a mapping keeps the entry of a variable that is renamed or deleted', async () => {
    const { id, total } = await createOrigin();
    await replaceDraft(id, [mappingEntry('/total', total)]);
    const saved = await saveMapping(id);
    await world.store.write("UPDATE matrix_variable SET name = 'sum' WHERE variable_id = ?", [total]);
    expect(await readMapping(id)).toEqual(saved);
    await world.store.write('DELETE FROM matrix_variable WHERE variable_id = ?', [total]);
    expect(await readMapping(id)).toEqual(saved);
    await expect(replaceDraft(id, [mappingEntry('/other', total)])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('a mapping stores only pointer and variable of an entry', async () => {
    const { id, total } = await createOrigin();
    const more = { ...mappingEntry('/total', total), note: 'x' };
    expect((await replaceDraft(id, [more])).unsaved).toEqual([mappingEntry('/total', total)]);
  });

  test.each<[string, (at: MappedOrigin, foreign: string) => MappingEntry[], RegExp]>([
    ['a malformed pointer', ({ total }) => [mappingEntry('total', total)], /^entries\.0\.pointer:/],
    [
      'a variable mapped twice',
      ({ total }) => [mappingEntry('/a', total), mappingEntry('/b', total)],
      /^entries\.1\.variableId:/,
    ],
    ['an unknown variable', () => [mappingEntry('/a', uuid())], /^entries\.0\.variableId:/],
    ['a variable of another process', (_, foreign) => [mappingEntry('/a', foreign)], /^entries\.0\.variableId:/],
  ])('a mapping with %s is refused, and the earlier draft stays', async (_, entries, message) => {
    const [at, foreign] = [await createOrigin(), await createOrigin()];
    await replaceDraft(at.id, [mappingEntry('/total', at.total)]);
    await expect(replaceDraft(at.id, entries(at, foreign.total))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(message),
    });
    expect((await readMapping(at.id)).unsaved).toEqual([mappingEntry('/total', at.total)]);
  });

  test('a mapping of an unknown origin gives NOT_FOUND', async () => {
    const id = uuid();
    const answers = await Promise.allSettled([readMapping(id), replaceDraft(id, []), saveMapping(id)]);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'NOT_FOUND' }) };
    expect(answers).toEqual([refused, refused, refused]);
  });

  test('a mapping that two replicas draft and save at the same time becomes exactly one of the drafts', async () => {
    const { id, total, token } = await createOrigin();
    const drafts = Array.from({ length: 6 }, (_, n) => [
      mappingEntry(`/total${n}`, total),
      mappingEntry(`/key${n}`, token),
    ]);
    await Promise.all(drafts.flatMap((entries) => [replaceDraft(id, entries), saveMapping(id)]));
    const { saved, unsaved } = await saveMapping(id);
    expect(unsaved).toBeNull();
    expect(drafts).toContainEqual(saved);
  });
});

describe('Secretos', () => {
  const body = '{"id":7,"card":{"number":"4111-1111","holder":"Ana"},"card2":"4111-1111"}';

  test('saving a mapping to a Secreto removes its values from the stored captures of the origin and leaves all others', async () => {
    const { id, token } = await createOrigin();
    const captureID = await addCapture(world.store, id, {
      body,
      query: 'key=k-4242&page=1',
      headers: { 'x-secret': 's-5151', 'x-event': 'order' },
    });
    await replaceDraft(id, [mappingEntry('/card/number', token)]);
    expect(await readStoredText(world.store, captureID)).toContain('4111-1111');
    await saveMapping(id);
    const stored = await readStoredText(world.store, captureID);
    expect(stored).toContain('«•••»');
    for (const kept of ['"id":7', 'Ana', '"card2":"4111-1111"', 'k-4242', 's-5151']) expect(stored).toContain(kept);
    expect(stored).not.toContain('"number":"4111-1111"');
  });

  test('saving a mapping without an entry whose variable has become a Secreto removes its values from the stored captures', async () => {
    const { id, total } = await createOrigin();
    await replaceDraft(id, [mappingEntry('/card/number', total)]);
    await saveMapping(id);
    const captureID = await addCapture(world.store, id, { body });
    await world.store.write("UPDATE matrix_variable SET type = 'Secreto' WHERE variable_id = ?", [total]);
    await replaceDraft(id, []);
    await saveMapping(id);
    expect(await readStoredText(world.store, captureID)).not.toContain('"number":"4111-1111"');
  });

  // Digits alone may be part of an id or of a time, which the answer contains.
  test.each([
    ['a field of the query', '/_query/key', 'k-4242'],
    ['a header', '/_headers/x-secret', 's-5151'],
    ['a node that contains the value', '/card', 'card-4111'],
    ['the whole body', '', 'card-4111'],
    ['the whole query', '/_query', 'k-4242'],
    ['all headers', '/_headers', 's-5151'],
  ])('saving a mapping to a Secreto removes all of %s', async (_, pointer, secret) => {
    const { id, token } = await createOrigin();
    const captureID = await addCapture(world.store, id, {
      body: '{"card":{"number":"card-4111"}}',
      query: 'key=k-4242',
      headers: { 'x-secret': 's-5151' },
    });
    await replaceDraft(id, [mappingEntry(pointer, token)]);
    await saveMapping(id);
    expect(await readStoredText(world.store, captureID)).not.toContain(secret);
    const shown = JSON.stringify(await world.rpc.call(webhook.findCapture, { captureID }));
    expect(shown).toContain('«•••»');
    expect(shown).not.toContain(secret);
  });

  test('saving a mapping to a Secreto removes the whole text of a truncated capture', async () => {
    const { id, token } = await createOrigin();
    const captureID = await addCapture(world.store, id, { body: '{"card":"card-4111', truncated: true });
    await replaceDraft(id, [mappingEntry('/elsewhere', token)]);
    await saveMapping(id);
    expect(await readStoredText(world.store, captureID)).not.toContain('card-4111');
    expect(await world.rpc.call(webhook.findCapture, { captureID })).toMatchObject({ truncated: true, text: '' });
  });

  test('saving a mapping to a Secreto does not change captures of other origins, nor any capture when no Secreto is mapped', async () => {
    const { processID, id, total } = await createOrigin();
    const other = await addOrigin(world.store, processID);
    const captured = await Promise.all([id, other].map((origin) => addCapture(world.store, origin, { body })));
    const before = await Promise.all(captured.map((captureID) => readStoredText(world.store, captureID)));
    await replaceDraft(id, [mappingEntry('/card/number', total)]);
    await saveMapping(id);
    expect(await Promise.all(captured.map((captureID) => readStoredText(world.store, captureID)))).toEqual(before);
  });

  test('saving a mapping to a Secreto also removes its values from captures that are stored at that moment', async () => {
    const { processID, id, token } = await createOrigin();
    const call = { originID: id, processID, query: '', headers: {}, signed: false };
    const sent = Buffer.from('{"card":"4111"}').toString('base64');
    const captures = Array.from({ length: 8 }, () => world.rpc.call(webhook.capture, { ...call, body: sent }));
    await replaceDraft(id, [mappingEntry('/card', token)]);
    await saveMapping(id);
    for (const { captureId } of await Promise.all(captures)) {
      expect(await readStoredText(world.store, captureId)).toContain('«•••»');
    }
  });

  test('saving a mapping to a Secreto changes all captures or none', async () => {
    const { id, token } = await createOrigin();
    const good = await addCapture(world.store, id, { body });
    const broken = await addCapture(world.store, id, { body: 'no JSON' });
    await replaceDraft(id, [mappingEntry('/card', token)]);
    await expect(saveMapping(id)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await readStoredText(world.store, good)).toContain('4111-1111');
    expect((await readMapping(id)).saved).toEqual([]);
    await world.rpc.call(webhook.removeCapture, { captureID: broken });
    await saveMapping(id);
    expect(await readStoredText(world.store, good)).not.toContain('"4111-1111","holder"');
  });
});
