import { webhook, type CaptureStart, type MappingEntry, type StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { addCapture } from '../../test/captures';
import { addOrigin, addVariable, publish, register } from '../../test/registry';
import { startWorld, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());
afterEach(() => {
  world.execution.reaction = () => undefined;
});

interface Place {
  processID: string;
  id: string;
  captureID: string;
  /** Ids of variables by their names. */
  ids: Record<'total' | 'client' | 'token', string>;
}

const body = JSON.stringify({ total: '10,5', amount: 20, card: { number: '4111', holder: 'Ana' }, empty: null });
const by = { accountID: uuid(), userName: 'Ana', executor: 'ana@example.com' };
const entry = (pointer: string, variableId: string): MappingEntry => ({ pointer, variableId });

/** An origin called Store with a capture; its mappings name variables by their names. */
async function place(
  mapping: { saved?: [string, string][]; unsaved?: [string, string][]; published?: [string, string][] } = {},
  captured = { body },
): Promise<Place & { versionID: string | null }> {
  const { processID } = await register(world.store);
  const ids = {
    total: await addVariable(world.store, processID, 'total', 'Moeda'),
    client: await addVariable(world.store, processID, 'client', 'Objeto'),
    token: await addVariable(world.store, processID, 'token', 'Secreto'),
  };
  const idOf = new Map(Object.entries(ids));
  const entries = (named: [string, string][] = []) =>
    named.map(([pointer, name]) => entry(pointer, idOf.get(name) ?? ''));
  const id = await addOrigin(world.store, processID, {
    saved: entries(mapping.saved),
    ...(mapping.unsaved && { unsaved: entries(mapping.unsaved) }),
  });
  const versionID = mapping.published
    ? await publish(world.store, processID, [{ originID: id, entries: entries(mapping.published) }])
    : null;
  return { processID, id, captureID: await addCapture(world.store, id, captured), ids, versionID };
}

const order = (captureID: string, change: Partial<CaptureStart> = {}): CaptureStart => ({
  captureID,
  instanceID: uuid(),
  deadline: Date.now() + 30_000,
  by,
  ...change,
});
const debug = (request: CaptureStart) => world.rpc.call(webhook.debug, request);
const replay = (request: CaptureStart) => world.rpc.call(webhook.replay, request);
const askedOf = ({ processID }: Place): StartRequest[] => world.execution.askedOf(processID);
const valuesOf = (at: Place) => askedOf(at).at(-1)?.mapped?.values;

describe('a debug run', () => {
  test('asks for the version in development, with the mapping that is not saved yet', async () => {
    const at = await place({
      saved: [['/total', 'total']],
      unsaved: [
        ['/amount', 'total'],
        ['/missing', 'client'],
      ],
      published: [['/total', 'total']],
    });
    const request = order(at.captureID, { resent: true });
    expect(await debug(request)).toEqual({ instanceID: request.instanceID, status: 'started' });
    expect(askedOf(at)).toEqual([
      {
        instanceID: request.instanceID,
        deadline: request.deadline,
        resent: true,
        processID: at.processID,
        trigger: { kind: 'debug', ...by },
        mapped: {
          originID: at.id,
          versionID: null,
          captureID: at.captureID,
          values: [{ variableID: at.ids.total, value: 20 }],
        },
      },
    ]);
  });

  test('uses the saved mapping where nothing is unsaved', async () => {
    const at = await place({ saved: [['/total', 'total']], published: [['/amount', 'total']] });
    await debug(order(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: '10,5' }]);
  });

  test('sends no Secreto, and of a node that holds one the rest', async () => {
    const at = await place({
      saved: [
        ['/card/number', 'token'],
        ['/card/number', 'total'],
        ['/card', 'client'],
      ],
    });
    await debug(order(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.client, value: { number: '«•••»', holder: 'Ana' } }]);
    expect(JSON.stringify(askedOf(at))).not.toContain('4111');
  });

  test('needs nothing published', async () => {
    const at = await place({ saved: [] });
    expect(await debug(order(at.captureID))).toMatchObject({ status: 'started' });
    expect(valuesOf(at)).toEqual([]);
  });
});

describe('a replay', () => {
  test('asks for the published version with its own mapping, in the name of the origin and of who asks', async () => {
    const at = await place({ saved: [], unsaved: [['/total', 'total']], published: [['/amount', 'total']] });
    const request = order(at.captureID);
    expect(await replay(request)).toEqual({ instanceID: request.instanceID, status: 'started' });
    expect(askedOf(at)).toEqual([
      {
        instanceID: request.instanceID,
        deadline: request.deadline,
        processID: at.processID,
        trigger: { kind: 'webhook', accountID: by.accountID, userName: 'Store', executor: by.executor },
        mapped: {
          originID: at.id,
          versionID: at.versionID,
          captureID: at.captureID,
          values: [{ variableID: at.ids.total, value: 20 }],
        },
      },
    ]);
  });

  test('sends nothing of what is masked, neither the field nor a node that holds it', async () => {
    const at = await place({
      published: [
        ['/card/number', 'token'],
        ['/card', 'client'],
        ['/amount', 'total'],
      ],
    });
    await replay(order(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: 20 }]);
  });

  test('sends nothing of what was masked once, whatever it is mapped to now', async () => {
    const at = await place({ published: [['/card/number', 'total']] }, { body: body.replace('4111', '«•••»') });
    await replay(order(at.captureID));
    expect(valuesOf(at)).toEqual([]);
  });

  test('asks again with the mapping of a version that was published meanwhile', async () => {
    const at = await place({ published: [['/amount', 'total']] });
    let newer = '';
    world.execution.reaction = async ({ mapped }) => {
      if (mapped?.versionID === newer) return;
      const entries = [entry('/total', at.ids.total)];
      newer = await publish(world.store, at.processID, [{ originID: at.id, entries }]);
      throw new ApiError('CONFLICT', 'versionID: another version was published meanwhile');
    };
    const request = order(at.captureID);
    expect(await replay(request)).toMatchObject({ instanceID: request.instanceID });
    expect(askedOf(at).map(({ mapped }) => mapped?.versionID)).toEqual([at.versionID, newer]);
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: '10,5' }]);
  });

  test('of a process that is not published is for execution to refuse', async () => {
    const at = await place();
    world.execution.reaction = () => {
      throw new ApiError('PROCESS_NOT_PUBLISHED');
    };
    await expect(replay(order(at.captureID))).rejects.toMatchObject({ code: 'PROCESS_NOT_PUBLISHED' });
    expect(askedOf(at)[0]?.mapped).toMatchObject({ versionID: null, values: [] });
  });
});

describe.each([
  ['debug', debug],
  ['replay', replay],
])('%s', (_, start) => {
  test('passes on what execution refuses with', async () => {
    const at = await place({ saved: [['/total', 'total']], published: [['/total', 'total']] });
    world.execution.reaction = () => {
      throw new ApiError('INVALID_MATRIX', 'total: does not fit');
    };
    const refused = { code: 'INVALID_MATRIX', message: 'total: does not fit' };
    await expect(start(order(at.captureID))).rejects.toMatchObject(refused);
  });

  test('of a truncated capture is refused, and execution is not asked', async () => {
    const at = await place({ published: [] });
    const captureID = await addCapture(world.store, at.id, { truncated: true });
    const refused = { code: 'CONFLICT', message: 'capture: is truncated and cannot be mapped' };
    await expect(start(order(captureID))).rejects.toMatchObject(refused);
    await expect(world.rpc.call(webhook.preview, { captureID })).rejects.toMatchObject(refused);
    expect(askedOf(at)).toEqual([]);
  });

  test('of more than a message carries is refused', async () => {
    const at = await place({ published: [] }, { body: JSON.stringify({ text: 'x'.repeat(100_000) }) });
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) ids.push(await addVariable(world.store, at.processID, `v${n}`));
    const entries = ids.map((variableId) => entry('', variableId));
    await world.rpc.call(webhook.draftMapping, { id: at.id, entries });
    await publish(world.store, at.processID, [{ originID: at.id, entries }]);
    await expect(start(order(at.captureID))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(askedOf(at)).toEqual([]);
  });

  test('of a body nested 10,000 levels deep asks for what will be refused, and breaks nothing', async () => {
    const deep = `{"total":${'['.repeat(9_999)}${']'.repeat(9_999)},"amount":1}`;
    const at = await place({ saved: [['/total', 'total']], published: [['/total', 'total']] }, { body: deep });
    await start(order(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: expect.any(Array) }]);
  });
});

describe('a preview', () => {
  test('shows both mappings side by side, with values, reasons and gaps', async () => {
    const at = await place({
      saved: [['/total', 'total']],
      unsaved: [
        ['/card', 'total'],
        ['/nowhere', 'client'],
        ['/card/number', 'token'],
      ],
      published: [
        ['/amount', 'total'],
        ['/card', 'client'],
      ],
    });
    await world.store.write("UPDATE matrix_variable SET name = 'card' WHERE variable_id = ?", [at.ids.token]);
    expect(await world.rpc.call(webhook.preview, { captureID: at.captureID })).toEqual({
      draft: [
        { variableId: at.ids.total, name: 'total', pointer: '/card', refusal: expect.stringMatching(/^total: /) },
        { variableId: at.ids.client, name: 'client', pointer: '/nowhere', absent: true },
        { variableId: at.ids.token, name: 'card', pointer: '/card/number', value: '«•••»' },
      ],
      published: [
        { variableId: at.ids.total, name: 'total', pointer: '/amount', value: 20 },
        { variableId: at.ids.client, name: 'client', pointer: '/card', value: { number: '«•••»', holder: 'Ana' } },
      ],
    });
  });

  test('by the saved mapping where nothing is unsaved, and by none that is not there', async () => {
    const at = await place({ saved: [['/total', 'total']] });
    const preview = await world.rpc.call(webhook.preview, { captureID: at.captureID });
    expect(preview).toEqual({
      draft: [{ variableId: at.ids.total, name: 'total', pointer: '/total', value: 10.5 }],
      published: [],
    });
  });

  test('of the largest capture and mapping fits into a message', async () => {
    const at = await place({}, { body: JSON.stringify({ text: 'é'.repeat(50_000) }) });
    const ids: string[] = [];
    for (let n = 0; n < 200; n += 1) ids.push(await addVariable(world.store, at.processID, `v${n}`));
    const entries = ids.map((variableId) => entry('/text', variableId));
    await world.rpc.call(webhook.draftMapping, { id: at.id, entries });
    await world.rpc.call(webhook.saveMapping, { id: at.id });
    await publish(world.store, at.processID, [{ originID: at.id, entries }]);
    const { draft, published } = await world.rpc.call(webhook.preview, { captureID: at.captureID });
    expect([draft.length, published.length]).toEqual([200, 200]);
    expect(draft.filter(({ omitted }) => omitted).length).toBeGreaterThan(100);
  });
});
