import { webhook, type MappingEntry } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addCapture } from '../../test/captures';
import { addOrigin, addVariable, publishVersion, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';
import { sealSignature } from '../origins/sealed-columns';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2, settings: { HIDDEN_HEADERS: 'X-Internal' } });
});
afterAll(() => world?.close());

const mappingEntry = (pointer: string, variableId: string): MappingEntry => ({ pointer, variableId });
const readCapture = (captureID: string) => world.rpc.call(webhook.findCapture, { captureID });
const listCaptures = async (id: string) => (await world.rpc.call(webhook.captures, { id })).captures;
const nestedInLists = (levels: number, inside: string) => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;

async function createOrigin() {
  const { processID } = await registerProcess(world.store);
  return { processID, id: await addOrigin(world.store, processID) };
}

describe('captures', () => {
  test('a capture is shown as the tree of body, query and headers', async () => {
    const { processID, id } = await createOrigin();
    const captureID = await addCapture(world.store, id, {
      body: '{"total":10,"__proto__":{"a":1}}',
      query: 'page=1&tag=a&tag=b',
      headers: { 'x-event': 'order' },
    });
    const capture = await readCapture(captureID);
    expect(capture).toEqual({
      id: captureID,
      originID: id,
      processID,
      capturedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      bytes: 32,
      truncated: false,
      payload: expect.objectContaining({
        total: 10,
        _query: { page: '1', tag: ['a', 'b'] },
        _headers: { 'x-event': 'order' },
      }),
    });
    expect(JSON.stringify(capture.payload)).toContain('"__proto__":{"a":1}');
  });

  test('a capture is shown without headers that were added to HIDDEN_HEADERS after it was stored', async () => {
    const { id } = await createOrigin();
    const captureID = await addCapture(world.store, id, { headers: { 'x-internal': 'route', 'x-event': 'order' } });
    expect((await readCapture(captureID)).payload).toEqual({ _query: {}, _headers: { 'x-event': 'order' } });
  });

  test('a capture that was stored with unmasked headers and parameters whose names usually mean a secret is shown with masks', async () => {
    const { id } = await createOrigin();
    const captureID = await addCapture(world.store, id, {
      query: 'token=t',
      headers: { 'x-api-key': 'k', 'x-a': '1' },
    });
    expect((await readCapture(captureID)).payload).toEqual({
      _query: { token: '«•••»' },
      _headers: { 'x-api-key': '«•••»', 'x-a': '1' },
    });
  });

  test('a capture from before the owner named a header of signatures is shown with a mask as its value', async () => {
    const { processID } = await registerProcess(world.store);
    const signature = (originID: string) =>
      sealSignature(world.keys, originID, { header: 'X-Shop-Check', secret: 's', toleranceSeconds: null });
    const id = await addOrigin(world.store, processID, { signature });
    const captureID = await addCapture(world.store, id, { headers: { 'x-shop-check': 'h', 'x-a': '1' } });
    expect((await readCapture(captureID)).payload).toEqual({
      _query: {},
      _headers: { 'x-shop-check': '«•••»', 'x-a': '1' },
    });
  });

  test('a capture with an empty body is shown as a tree without body fields', async () => {
    const { id } = await createOrigin();
    expect((await readCapture(await addCapture(world.store, id, { body: '' }))).payload).toEqual({
      _query: {},
      _headers: {},
    });
  });

  test.each(['"text"', '42', 'null'])(
    'a capture with the body %s is shown as text and as a tree of query and headers',
    async (body) => {
      const { id } = await createOrigin();
      const capture = await readCapture(await addCapture(world.store, id, { body, query: 'a=1' }));
      expect(capture).toMatchObject({ payload: { _query: { a: '1' } }, text: body });
    },
  );

  test('a capture with a number beyond the range of a double is shown as its text', async () => {
    const { id } = await createOrigin();
    const body = '{"total":1e400,"rate":1e-400}';
    expect(await readCapture(await addCapture(world.store, id, { body }))).toMatchObject({ text: body });
  });

  test('a capture that an earlier release stored with a name that is refused today is shown as its text', async () => {
    const { id } = await createOrigin();
    const body = String.raw`{"a":1,"caf\\":2}`;
    expect(await readCapture(await addCapture(world.store, id, { body }))).toMatchObject({ text: body });
    const captureID = await addCapture(world.store, id, { body: '{"a":1}', query: 'caf%5C=1' });
    expect(await readCapture(captureID)).toMatchObject({ text: '{"a":1}' });
  });

  test('a capture that is truncated is shown as the beginning of its text', async () => {
    const { id } = await createOrigin();
    const capture = await readCapture(await addCapture(world.store, id, { body: '{"a":"xxx', truncated: true }));
    expect(capture).toMatchObject({ truncated: true, text: '{"a":"xxx' });
    expect(capture).not.toHaveProperty('payload');
  });

  test.each([
    [101, false],
    [10_000, false],
    [100, true],
  ])('a capture with %i levels is shown as a tree: %s', async (levels, asTree) => {
    const { id } = await createOrigin();
    const body = nestedInLists(levels, '1');
    const capture = await readCapture(await addCapture(world.store, id, { body }));
    expect(['payload' in capture, capture.text]).toEqual([asTree, asTree ? undefined : body]);
  });

  test('a capture that does not exist gives NOT_FOUND for every request', async () => {
    const captureID = uuid();
    const start = { captureID, instanceID: uuid(), deadline: Date.now() + 60_000, by: STARTER };
    const answers = await Promise.allSettled([
      readCapture(captureID),
      world.rpc.call(webhook.removeCapture, { captureID }),
      world.rpc.call(webhook.preview, { captureID }),
      world.rpc.call(webhook.debug, start),
      world.rpc.call(webhook.replay, start),
      world.rpc.call(webhook.captures, { id: uuid() }),
      world.rpc.call(webhook.removeCaptures, { id: uuid() }),
    ]);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'NOT_FOUND' }) };
    expect(answers).toEqual(answers.map(() => refused));
  });
});

describe('origins', () => {
  test('the captures of an origin are listed newest first, without content and without captures of other origins', async () => {
    const { processID, id } = await createOrigin();
    await addCapture(world.store, await addOrigin(world.store, processID));
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await addCapture(world.store, id, { truncated: n === 1 }));
    const captures = await listCaptures(id);
    expect(captures.map((capture) => capture.id)).toEqual(ids.toReversed());
    expect(captures[1]).toEqual({
      id: ids[1],
      originID: id,
      processID,
      capturedAt: expect.any(String),
      bytes: 2,
      truncated: true,
    });
  });

  test('the captures of an origin are removed one by one or together, without a change of the mapping', async () => {
    const { processID, id } = await createOrigin();
    const total = await addVariable(world.store, processID, 'total');
    await world.rpc.call(webhook.draftMapping, { id, entries: [mappingEntry('/total', total)] });
    const mapping = await world.rpc.call(webhook.saveMapping, { id });
    const other = await addOrigin(world.store, processID);
    const kept = await addCapture(world.store, other);
    const ids = await Promise.all([1, 2, 3].map(() => addCapture(world.store, id)));
    expect(await world.rpc.call(webhook.removeCapture, { captureID: ids[0] ?? '' })).toEqual({ ok: true });
    expect((await listCaptures(id)).map((capture) => capture.id).toSorted()).toEqual(ids.slice(1).toSorted());
    expect(await world.rpc.call(webhook.removeCaptures, { id })).toEqual({ removed: 2 });
    expect(await world.rpc.call(webhook.removeCaptures, { id })).toEqual({ removed: 0 });
    expect([await listCaptures(id), (await listCaptures(other)).map((capture) => capture.id)]).toEqual([[], [kept]]);
    expect(await world.rpc.call(webhook.mapping, { id })).toEqual(mapping);
  });
});

describe('Secretos', () => {
  const body = '{"card":{"number":"4111","holder":"Ana"}}';
  const masked = { card: { number: '«•••»', holder: 'Ana' } };

  test.each(['unsaved', 'saved', 'published'] as const)(
    'a captured value mapped to a Secreto is masked at each read when the %s mapping maps it',
    async (state) => {
      const { processID } = await registerProcess(world.store);
      const token = await addVariable(world.store, processID, 'token', 'Secreto');
      const entries = [mappingEntry('/card/number', token)];
      const originID = await addOrigin(world.store, processID, state === 'published' ? {} : { [state]: entries });
      if (state === 'published') await publishVersion(world.store, processID, [{ originID, entries }]);
      const captureID = await addCapture(world.store, originID, { body });
      expect((await readCapture(captureID)).payload).toMatchObject(masked);
    },
  );

  test('a captured value mapped to a Secreto is masked as soon as its variable becomes a Secreto', async () => {
    const { processID } = await registerProcess(world.store);
    const token = await addVariable(world.store, processID, 'token', 'Texto');
    const originID = await addOrigin(world.store, processID, { saved: [mappingEntry('/card/number', token)] });
    const captureID = await addCapture(world.store, originID, { body });
    expect((await readCapture(captureID)).payload).toMatchObject({ card: { number: '4111' } });
    await world.store.write("UPDATE matrix_variable SET type = 'Secreto' WHERE variable_id = ?", [token]);
    expect((await readCapture(captureID)).payload).toMatchObject(masked);
  });

  test('a captured value mapped to a Secreto masks the whole text of a capture that is truncated or nested too deeply', async () => {
    const { processID } = await registerProcess(world.store);
    const token = await addVariable(world.store, processID, 'token', 'Secreto');
    const id = await addOrigin(world.store, processID, { saved: [mappingEntry('/card', token)] });
    const truncated = await addCapture(world.store, id, { body: '{"card":"of Ana', truncated: true });
    const tooDeep = await addCapture(world.store, id, { body: nestedInLists(9_999, '{"card":"of Ana"}') });
    for (const captureID of [truncated, tooDeep])
      expect(JSON.stringify(await readCapture(captureID))).not.toContain('of Ana');
  });
});

const STARTER = { accountID: uuid(), userName: 'Ana', executor: 'ana@example.com' };
