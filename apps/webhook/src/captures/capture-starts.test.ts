import { webhook, type CaptureStart, type MappingEntry, type StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { addCapture } from '../../test/captures';
import { addOriginWithCapture, CAPTURED_BODY, type OriginWithCapture } from '../../test/origin-with-capture';
import { addVariable, publishVersion } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());
afterEach(() => {
  world.execution.beforeAccept = () => undefined;
});

const startedBy = { accountID: uuid(), userName: 'Ana', executor: 'ana@example.com' };
const mappingEntry = (pointer: string, variableId: string): MappingEntry => ({ pointer, variableId });

const captureStart = (captureID: string, change: Partial<CaptureStart> = {}): CaptureStart => ({
  captureID,
  instanceID: uuid(),
  deadline: Date.now() + 30_000,
  by: startedBy,
  ...change,
});
const startDebug = (request: CaptureStart) => world.rpc.call(webhook.debug, request);
const startReplay = (request: CaptureStart) => world.rpc.call(webhook.replay, request);
const requestsOf = ({ processID }: OriginWithCapture): StartRequest[] => world.execution.requestsOf(processID);
const valuesOf = (at: OriginWithCapture) => requestsOf(at).at(-1)?.mapped?.values;

describe('debug runs', () => {
  test('a debug run starts the development version with the draft mapping', async () => {
    const at = await addOriginWithCapture(world.store, {
      saved: [['/total', 'total']],
      unsaved: [
        ['/amount', 'total'],
        ['/missing', 'client'],
      ],
      published: [['/total', 'total']],
    });
    const request = captureStart(at.captureID, { resent: true });
    expect(await startDebug(request)).toEqual({ instanceID: request.instanceID, status: 'started' });
    expect(requestsOf(at)).toEqual([
      {
        instanceID: request.instanceID,
        deadline: request.deadline,
        resent: true,
        processID: at.processID,
        trigger: { kind: 'debug', ...startedBy },
        mapped: {
          originID: at.id,
          versionID: null,
          captureID: at.captureID,
          values: [{ variableID: at.ids.total, value: 20 }],
        },
      },
    ]);
  });

  test('a debug run starts with the saved mapping when there is no draft', async () => {
    const at = await addOriginWithCapture(world.store, {
      saved: [['/total', 'total']],
      published: [['/amount', 'total']],
    });
    await startDebug(captureStart(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: '10,5' }]);
  });

  test('a debug run sends no Secreto, and masks it in a node that contains it', async () => {
    const at = await addOriginWithCapture(world.store, {
      saved: [
        ['/card/number', 'token'],
        ['/card/number', 'total'],
        ['/card', 'client'],
      ],
    });
    await startDebug(captureStart(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.client, value: { number: '«•••»', holder: 'Ana' } }]);
    expect(JSON.stringify(requestsOf(at))).not.toContain('card-4111');
  });

  test('a debug run takes place in the environment that the request names', async () => {
    const at = await addOriginWithCapture(world.store, { saved: [] });
    const environmentID = uuid();
    await startDebug(captureStart(at.captureID, { environmentID }));
    expect(requestsOf(at).at(-1)).toMatchObject({ environmentID });
  });

  test('a debug run needs no published version', async () => {
    const at = await addOriginWithCapture(world.store, { saved: [] });
    expect(await startDebug(captureStart(at.captureID))).toMatchObject({ status: 'started' });
    expect(valuesOf(at)).toEqual([]);
  });
});

describe('replays', () => {
  test('a replay starts the published version with its mapping, as the origin and on behalf of the requesting account', async () => {
    const at = await addOriginWithCapture(world.store, {
      saved: [],
      unsaved: [['/total', 'total']],
      published: [['/amount', 'total']],
    });
    const request = captureStart(at.captureID);
    expect(await startReplay(request)).toEqual({ instanceID: request.instanceID, status: 'started' });
    expect(requestsOf(at)).toEqual([
      {
        instanceID: request.instanceID,
        deadline: request.deadline,
        processID: at.processID,
        trigger: { kind: 'webhook', accountID: startedBy.accountID, userName: 'Store', executor: startedBy.executor },
        mapped: {
          originID: at.id,
          versionID: at.versionID,
          captureID: at.captureID,
          values: [{ variableID: at.ids.total, value: 20 }],
        },
      },
    ]);
  });

  test('a replay sends neither a masked value nor a node that contains one', async () => {
    const at = await addOriginWithCapture(world.store, {
      published: [
        ['/card/number', 'token'],
        ['/card', 'client'],
        ['/amount', 'total'],
      ],
    });
    await startReplay(captureStart(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: 20 }]);
  });

  test('a replay sends no large node that contains a masked value', async () => {
    const at = await addOriginWithCapture(
      world.store,
      {
        published: [
          ['/card/number', 'token'],
          ['/card', 'client'],
          ['/amount', 'total'],
        ],
      },
      { body: JSON.stringify({ amount: 20, card: { number: 'card-4111', notes: 'x'.repeat(20_000) } }) },
    );
    await startReplay(captureStart(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: 20 }]);
  });

  test('a replay sends no value that was masked when stored, although its variable is no Secreto now', async () => {
    const at = await addOriginWithCapture(
      world.store,
      { published: [['/card/number', 'total']] },
      { body: CAPTURED_BODY.replace('card-4111', '«•••»') },
    );
    await startReplay(captureStart(at.captureID));
    expect(valuesOf(at)).toEqual([]);
  });

  test('a replay repeats the start with the mapping of a version published meanwhile', async () => {
    const at = await addOriginWithCapture(world.store, { published: [['/amount', 'total']] });
    let newer = '';
    world.execution.beforeAccept = async ({ mapped }) => {
      if (mapped?.versionID === newer) return;
      const entries = [mappingEntry('/total', at.ids.total)];
      newer = await publishVersion(world.store, at.processID, [{ originID: at.id, entries }]);
      throw new ApiError('CONFLICT', 'versionID: another version was published meanwhile');
    };
    const request = captureStart(at.captureID);
    expect(await startReplay(request)).toMatchObject({ instanceID: request.instanceID });
    expect(requestsOf(at).map(({ mapped }) => mapped?.versionID)).toEqual([at.versionID, newer]);
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: '10,5' }]);
  });

  test('a replay of an unpublished process is sent to execution, which refuses it', async () => {
    const at = await addOriginWithCapture(world.store);
    world.execution.beforeAccept = () => {
      throw new ApiError('PROCESS_NOT_PUBLISHED');
    };
    await expect(startReplay(captureStart(at.captureID))).rejects.toMatchObject({ code: 'PROCESS_NOT_PUBLISHED' });
    expect(requestsOf(at)[0]?.mapped).toMatchObject({ versionID: null, values: [] });
  });
});

describe.each([
  ['debug', startDebug],
  ['replay', startReplay],
])('a %s start', (_, start) => {
  test('a start from a capture passes on a refusal of execution', async () => {
    const at = await addOriginWithCapture(world.store, {
      saved: [['/total', 'total']],
      published: [['/total', 'total']],
    });
    world.execution.beforeAccept = () => {
      throw new ApiError('INVALID_MATRIX', 'total: does not fit');
    };
    const refused = { code: 'INVALID_MATRIX', message: 'total: does not fit' };
    await expect(start(captureStart(at.captureID))).rejects.toMatchObject(refused);
  });

  test('a start from a truncated capture is refused without a request to execution', async () => {
    const at = await addOriginWithCapture(world.store, { published: [] });
    const captureID = await addCapture(world.store, at.id, { truncated: true });
    const refused = { code: 'CONFLICT', message: 'capture: is truncated and cannot be mapped' };
    await expect(start(captureStart(captureID))).rejects.toMatchObject(refused);
    await expect(world.rpc.call(webhook.preview, { captureID })).rejects.toMatchObject(refused);
    expect(requestsOf(at)).toEqual([]);
  });

  test('a start from a capture whose values exceed the size of a message is refused', async () => {
    const at = await addOriginWithCapture(
      world.store,
      { published: [] },
      { body: JSON.stringify({ text: 'x'.repeat(100_000) }) },
    );
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) ids.push(await addVariable(world.store, at.processID, `v${n}`));
    const entries = ids.map((variableId) => mappingEntry('', variableId));
    await world.rpc.call(webhook.draftMapping, { id: at.id, entries });
    await publishVersion(world.store, at.processID, [{ originID: at.id, entries }]);
    await expect(start(captureStart(at.captureID))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(requestsOf(at)).toEqual([]);
  });

  test('a start from a capture with 10,000 levels sends a value that execution refuses', async () => {
    const deep = `{"total":${'['.repeat(9_999)}${']'.repeat(9_999)},"amount":1}`;
    const at = await addOriginWithCapture(
      world.store,
      { saved: [['/total', 'total']], published: [['/total', 'total']] },
      { body: deep },
    );
    await start(captureStart(at.captureID));
    expect(valuesOf(at)).toEqual([{ variableID: at.ids.total, value: expect.any(Array) }]);
  });
});

test('a number beyond the range of a double is reported to execution by debug runs and replays, and refused in the preview', async () => {
  const mapping: [string, 'total'][] = [['/total', 'total']];
  const at = await addOriginWithCapture(
    world.store,
    { saved: mapping, published: mapping },
    { body: '{"total":{"a":1e400}}' },
  );
  await startDebug(captureStart(at.captureID));
  await startReplay(captureStart(at.captureID));
  const announced = [{ variableID: at.ids.total, value: expect.anything(), unheld: true }];
  expect(requestsOf(at).map(({ mapped }) => mapped?.values)).toEqual([announced, announced]);
  const preview = await world.rpc.call(webhook.preview, { captureID: at.captureID });
  expect(preview.published).toMatchObject([{ refusal: expect.stringMatching(/^total: /) }]);
});
