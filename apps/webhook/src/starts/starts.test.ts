import { execution, webhook, type HookStart, type MappingEntry, type StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { convertValue, MATRIX_TYPES } from '@batuta/matrix';
import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { minimumCallTimeLimit } from '../../../../test/support/long-time-limits';
import { createHookStart } from '../../test/calls';
import { addOrigin, publishVersion, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ settings: { HIDDEN_HEADERS: 'X-Internal' } });
});
afterAll(() => world?.close());
afterEach(() => {
  world.execution.beforeAccept = () => undefined;
});

interface PublishedOrigin {
  processID: string;
  originID: string;
  versionID: string;
}

/** An origin whose published mapping has these pointers; each pointer is also the id of its variable. */
async function addPublishedOrigin(pointers: string[]): Promise<PublishedOrigin> {
  const { processID } = await registerProcess(world.store);
  const originID = await addOrigin(world.store, processID);
  return {
    processID,
    originID,
    versionID: await publishVersion(world.store, processID, [{ originID, entries: entriesOf(pointers) }]),
  };
}

function entriesOf(pointers: string[]): MappingEntry[] {
  return pointers.map((pointer) => ({ pointer, variableId: pointer }));
}

function startByWebhook(origin: PublishedOrigin, body: unknown, given: Partial<HookStart> = {}): Promise<StartReply> {
  return world.rpc.call(webhook.start, createHookStart(origin, body, { versionID: origin.versionID, ...given }));
}

/** The values that execution received. */
async function mappedOf(origin: PublishedOrigin, body: unknown, given: Partial<HookStart> = {}) {
  const { instanceID } = await startByWebhook(origin, body, given);
  return world.execution.started.get(instanceID)?.mapped?.values ?? [];
}

/** The values that execution received, by pointer. */
async function valuesOf(origin: PublishedOrigin, body: unknown, given: Partial<HookStart> = {}) {
  const values = await mappedOf(origin, body, given);
  return Object.fromEntries(values.map(({ variableID, value }) => [variableID, value]));
}

test('a call starts the published version with its mapping, with the origin as user and executor', async () => {
  const origin = await addPublishedOrigin(['/order/id', '/missing']);
  const call = createHookStart(origin, { order: { id: 7 } }, { versionID: origin.versionID });
  expect(await world.rpc.call(webhook.start, call)).toEqual({ instanceID: call.instanceID, status: 'started' });
  expect(world.execution.requestsOf(origin.processID)).toEqual([
    {
      instanceID: call.instanceID,
      deadline: call.deadline,
      processID: origin.processID,
      trigger: { kind: 'webhook', accountID: null, userName: 'Store', executor: 'Store' },
      mapped: {
        originID: origin.originID,
        versionID: origin.versionID,
        values: [{ variableID: '/order/id', value: 7 }],
      },
    },
  ]);
});

test('a start carries awaited, resent, and the idempotency key with a digest of query and body', async () => {
  const origin = await addPublishedOrigin([]);
  const given = { awaited: true, resent: true, idempotencyKey: 'k', query: 'a=1' } as const;
  const { instanceID } = await startByWebhook(origin, '{"b":1}', given);
  expect(world.execution.started.get(instanceID)).toMatchObject({
    awaited: true,
    resent: true,
    idempotency: {
      scope: `hook:${origin.originID}`,
      key: 'k',
      body: createHash('sha256').update('a=1\n{"b":1}').digest('hex'),
    },
  });
});

test('a mapping takes fields, whole nodes, query and headers, and leaves out absent fields', async () => {
  const origin = await addPublishedOrigin([
    '',
    '/items',
    '/items/1/sku',
    '/note',
    '/x',
    '/_query/b',
    '/_headers/x-event',
    '/_headers',
  ]);
  const body = { items: [{ sku: 'a' }, { sku: 'b' }], note: null, _query: 'of the body' };
  const headers = { 'x-event': 'push', authorization: 'Bearer x', cookie: 'a=b' };
  expect(await valuesOf(origin, body, { query: 'b=1&b=%C3%A7', headers })).toEqual({
    '': body,
    '/items': body.items,
    '/items/1/sku': 'b',
    '/note': null,
    '/_query/b': ['1', 'ç'],
    '/_headers/x-event': 'push',
    '/_headers': { 'x-event': 'push' },
  });
});

test('a mapping finds neither headers with credentials nor the headers of HIDDEN_HEADERS', async () => {
  const names = [
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-process-key',
    'x-internal',
    'x-kept',
  ];
  const origin = await addPublishedOrigin(['/_headers', ...names.map((name) => `/_headers/${name}`)]);
  const headers = Object.fromEntries(names.map((name) => [name, 'v']));
  expect(await valuesOf(origin, {}, { headers })).toEqual({ '/_headers': { 'x-kept': 'v' }, '/_headers/x-kept': 'v' });
});

test('an empty body starts the process like an empty object', async () => {
  expect(await valuesOf(await addPublishedOrigin(['', '/a']), Buffer.alloc(0))).toEqual({ '': {} });
});

test('an origin without a mapping in the version starts without values', async () => {
  const origin = await addPublishedOrigin(['/a']);
  const originID = await addOrigin(world.store, origin.processID);
  expect(await valuesOf({ ...origin, originID }, { a: 1 })).toEqual({});
});

test('keys named __proto__ reach execution', async () => {
  const origin = await addPublishedOrigin(['/o', '/o/__proto__', '/constructor']);
  const values = await valuesOf(origin, '{"o":{"__proto__":{"admin":true}}}');
  expect(JSON.stringify(values)).toBe('{"/o":{"__proto__":{"admin":true}},"/o/__proto__":{"admin":true}}');
});

test.each(['-1e999', '[{"a":1e999}]', '{"a":[0,1e-999]}'])(
  'the number in %s that no double holds is announced to execution, with a value that every type refuses',
  async (json) => {
    const origin = await addPublishedOrigin(['/n', '/flat']);
    const values = await mappedOf(origin, `{"n":${json},"flat":1e300}`);
    expect(values).toEqual([
      { variableID: expect.any(String), value: expect.anything(), unheld: true },
      { variableID: expect.any(String), value: 1e300 },
    ]);
    for (const type of MATRIX_TYPES) {
      expect(() => convertValue(type, values[0]?.value, 'order', 'node')).toThrow(/^order: /);
    }
  },
);

test.each<[string, string, string]>([
  ['a list', '['.repeat(10_000), ']'.repeat(10_000)],
  ['an object', '{"a":'.repeat(10_000), `1${'}'.repeat(10_000)}`],
])(
  '%s of 10,000 levels is replaced by a value that execution refuses, and other fields are sent',
  async (_, opening, closing) => {
    const origin = await addPublishedOrigin(['/deep', '/flat']);
    const values = await valuesOf(origin, `{"deep":${opening}${closing},"flat":5}`);
    expect(values['/flat']).toBe(5);
    for (const type of ['Texto', 'Lista', 'Objeto', 'Secreto'] as const) {
      expect(() => convertValue(type, values['/deep'], 'order', 'node')).toThrow(/^order: /);
    }
    expect(() => convertValue('Objeto', values['/deep'], 'order', 'node')).toThrow(/more than 100 levels/);
  },
);

test('a body of 1 MB starts the process, and is refused when its mapped copies exceed the size limit of an instance', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(1_048_000) });
  const [once, often] = [await addPublishedOrigin(['', '/a']), await addPublishedOrigin(['', '/text', '/text'])];
  expect(await valuesOf(once, body)).toEqual({ '': JSON.parse(body) });
  await expect(startByWebhook(often, body)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(world.execution.requestsOf(often.processID)).toEqual([]);
});

describe('publication', () => {
  const conflict = () => new ApiError('CONFLICT', 'versionID: another version was published meanwhile');

  test('a start while another version is published is repeated with the mapping of the new version', async () => {
    const origin = await addPublishedOrigin(['/old']);
    const { processID, originID } = origin;
    const versionID = await publishVersion(world.store, processID, [{ originID, entries: entriesOf(['/new']) }]);
    world.execution.beforeAccept = ({ mapped }) => {
      if (mapped?.versionID !== versionID) throw conflict();
    };
    expect(await valuesOf(origin, { old: 1, new: 2 })).toEqual({ '/new': 2 });
    expect(world.execution.requestsOf(processID)).toHaveLength(2);
  });

  test('a start while another version is published is UNAVAILABLE after attempts with three versions', async () => {
    const origin = await addPublishedOrigin([]);
    world.execution.beforeAccept = () => {
      throw conflict();
    };
    await expect(startByWebhook(origin, {})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(world.execution.requestsOf(origin.processID)).toHaveLength(3);
  });
});

test('a start of an unpublished process is sent to execution, which checks replays before it refuses', async () => {
  const origin = await addPublishedOrigin([]);
  world.execution.beforeAccept = ({ mapped }) => {
    if (mapped?.versionID === null) throw new ApiError('PROCESS_NOT_PUBLISHED');
  };
  await expect(startByWebhook(origin, {}, { versionID: null })).rejects.toMatchObject({
    code: 'PROCESS_NOT_PUBLISHED',
  });
});

test.each(['INVALID_MATRIX', 'INSUFFICIENT_CREDITS', 'AGENT_OFFLINE', 'OWNER_INACTIVE'] as const)(
  'the refusal %s is passed on after one request',
  async (code) => {
    const origin = await addPublishedOrigin([]);
    world.execution.beforeAccept = () => {
      throw new ApiError(code, 'total: why');
    };
    await expect(startByWebhook(origin, {})).rejects.toMatchObject({ code, message: 'total: why' });
    expect(world.execution.requestsOf(origin.processID)).toHaveLength(1);
  },
);

test('a start is UNAVAILABLE when execution does not reply', async () => {
  const origin = await addPublishedOrigin([]);
  let answer = () => {};
  world.execution.beforeAccept = () => new Promise<void>((resolve) => (answer = resolve));
  const least = minimumCallTimeLimit.milliseconds;
  minimumCallTimeLimit.milliseconds = 0;
  try {
    const started = world.rpc.call(webhook.start, createHookStart(origin, {}), { timeout: 60_000 });
    const message = expect.stringContaining(execution.start.subject);
    await expect(started).rejects.toMatchObject({ code: 'UNAVAILABLE', message });
  } finally {
    minimumCallTimeLimit.milliseconds = least;
    answer();
  }
});

test('the mapping of a version is read from the database once', async () => {
  const origin = await addPublishedOrigin(['/a']);
  await Promise.all([startByWebhook(origin, { a: 1 }), startByWebhook(origin, { a: 2 })]);
  await world.store.write("UPDATE process_version SET mappings = '[]' WHERE version_id = ?", [origin.versionID]);
  expect(await valuesOf(origin, { a: 3 })).toEqual({ '/a': 3 });
});

test('a missing version is read again at the next start', async () => {
  const [origin, versionID] = [await addPublishedOrigin([]), uuid()];
  expect(await valuesOf(origin, { a: 1 }, { versionID })).toEqual({});
  const entries = JSON.stringify([{ originID: origin.originID, entries: entriesOf(['/a']) }]);
  const columns = 'version_id, process_id, version, flow, mappings, published_by, published_at';
  await world.store.write(`INSERT INTO process_version (${columns}) VALUES (?)`, [
    [versionID, origin.processID, 9, '{}', entries, uuid(), new Date()],
  ]);
  expect(await valuesOf(origin, { a: 1 }, { versionID })).toEqual({ '/a': 1 });
});

test('any call is started or refused with BAD_REQUEST, without another error', async () => {
  const origin = await addPublishedOrigin(['', '/a', '/0', '/_query', '/_headers/x', '/__proto__']);
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.json(), fc.constant('["'.repeat(50)));
  const query = fc.string();
  const headers = fc.dictionary(fc.string(), fc.string());
  const outcome = (given: Partial<HookStart>, body: string | Uint8Array) =>
    startByWebhook(origin, Buffer.from(body), given).then(
      ({ status }) => status,
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    );
  await fc.assert(
    fc.asyncProperty(bytes, query, headers, async (body, text, fields) => {
      expect(await outcome({ query: text, headers: fields }, body)).toMatch(/^(started|BAD_REQUEST)$/);
    }),
    { numRuns: 200 },
  );
});
