import { webhook, type HookCall, type MappingEntry } from '@batuta/contracts';
import { createHmac } from 'node:crypto';
import { createHookCall } from '../../test/calls';
import { addOrigin, addVariable, publishVersion, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';
import { sealSignature } from '../origins/sealed-columns';
import { MASK } from '../masking/masking';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2, settings: { HIDDEN_HEADERS: 'X-Internal, x-trace' } });
});
afterAll(() => world?.close());

interface CaptureRow {
  capture_id: string;
  bytes: number;
  truncated: number;
  body: string;
  query: string;
  headers: string;
}

const sendCapture = (call: HookCall) => world.rpc.call(webhook.capture, call);
const rowsOf = (originID: string) =>
  world.store.rows<CaptureRow>('SELECT * FROM capture WHERE origin_id = ? ORDER BY captured_at, capture_id', [
    originID,
  ]);

async function addOriginOfProcess(given: Parameters<typeof addOrigin>[2] = {}) {
  const { processID } = await registerProcess(world.store);
  return { processID, originID: await addOrigin(world.store, processID, given) };
}

/** An origin whose mapping in the state `where` maps each pointer to a variable of the given type. */
async function addMappedOrigin(where: 'saved' | 'unsaved' | 'published', entries: [pointer: string, type: string][]) {
  const { processID } = await registerProcess(world.store);
  const mapping: MappingEntry[] = [];
  for (const [pointer, type] of entries) {
    const name = `v${mapping.length}`;
    mapping.push({ pointer, variableId: await addVariable(world.store, processID, name, type) });
  }
  const originID = await addOrigin(world.store, processID, where === 'published' ? {} : { [where]: mapping });
  if (where === 'published') await publishVersion(world.store, processID, [{ originID, entries: mapping }]);
  return { processID, originID };
}

async function captureAndRead(
  called: { processID: string; originID: string },
  body: unknown,
  given: Partial<HookCall> = {},
) {
  const { captureId } = await sendCapture(createHookCall(called, body, given));
  const row = (await rowsOf(called.originID)).find(({ capture_id }) => capture_id === captureId);
  if (!row) throw new Error('The capture was not stored');
  return { ...row, headers: JSON.parse(row.headers) };
}

test('a capture stores body, query and headers as received and starts nothing', async () => {
  const text = '{ "a" : "ção", "__proto__": 1, "b":1, "b":2 }\n';
  const called = await addOriginOfProcess();
  const row = await captureAndRead(called, text, { query: 'x=%C3%A7&x=2', headers: { 'x-event': 'push', host: 'h' } });
  expect(row).toMatchObject({ bytes: Buffer.byteLength(text), truncated: 0, body: text, query: 'x=%C3%A7&x=2' });
  expect(row.headers).toEqual({ 'x-event': 'push', host: 'h' });
  expect(world.execution.requestsOf(called.processID)).toEqual([]);
});

test('a capture stores the characters of a body in ISO-8859-1', async () => {
  const contentType = 'application/json; charset=ISO-8859-1';
  expect(
    await captureAndRead(await addOriginOfProcess(), Buffer.from('"ção"', 'latin1'), { contentType }),
  ).toMatchObject({
    body: '"ção"',
  });
});

test.each<[string, Buffer, string | undefined, string]>([
  ['that is not JSON', Buffer.from('secret'), undefined, 'BAD_REQUEST'],
  ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), undefined, 'BAD_REQUEST'],
  ['in UTF-16', Buffer.from('{}', 'utf16le'), 'application/json; charset=utf-16', 'UNSUPPORTED_CHARSET'],
  ['above 100 KB that is not JSON', Buffer.from('['.repeat(200_000)), undefined, 'BAD_REQUEST'],
])('a body %s is refused and not stored', async (_, body, contentType, code) => {
  const called = await addOriginOfProcess();
  await expect(sendCapture(createHookCall(called, body, { contentType }))).rejects.toMatchObject({ code });
  expect(await rowsOf(called.originID)).toEqual([]);
});

test('a capture stores neither headers with credentials nor the headers of HIDDEN_HEADERS', async () => {
  const credentials = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-process-key'];
  const headers = Object.fromEntries([...credentials, 'x-internal', 'x-trace', 'x-kept'].map((name) => [name, 'v']));
  expect((await captureAndRead(await addOriginOfProcess(), {}, { headers })).headers).toEqual({ 'x-kept': 'v' });
});

test('a capture, also a truncated one, masks headers and query parameters whose names usually mean a secret', async () => {
  const headers = { 'x-api-key': 's3cret', 'x-auth-token': 's3cret', 'api-key': 's3cret', 'x-kept': 'v' };
  for (const body of [{}, JSON.stringify('x'.repeat(110_000))]) {
    const row = await captureAndRead(await addOriginOfProcess(), body, { query: 'access_token=s3cret&b=1', headers });
    expect(row.headers).toEqual({ 'x-api-key': MASK, 'x-auth-token': MASK, 'api-key': MASK, 'x-kept': 'v' });
    expect(Object.fromEntries(new URLSearchParams(row.query))).toEqual({ access_token: MASK, b: '1' });
    expect(JSON.stringify(row)).not.toContain('s3cret');
  }
});

describe('large bodies', () => {
  const bodyOfSize = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

  test('a body above 100 KB is truncated, while one of 102,400 bytes is stored completely', async () => {
    const called = await addOriginOfProcess();
    expect(await captureAndRead(called, bodyOfSize(102_400))).toMatchObject({
      truncated: 0,
      bytes: 102_400,
      body: bodyOfSize(102_400),
    });
    const cut = bodyOfSize(102_401).slice(0, 102_400);
    expect(await captureAndRead(called, bodyOfSize(102_401))).toMatchObject({
      truncated: 1,
      bytes: 102_401,
      body: cut,
    });
  });

  test('a body above 100 KB is truncated at a character boundary', async () => {
    const row = await captureAndRead(await addOriginOfProcess(), JSON.stringify('ç'.repeat(60_000)));
    expect(row).toMatchObject({ truncated: 1, bytes: 120_002, body: `"${'ç'.repeat(51_199)}` });
  });

  test('a body above 100 KB is not stored at all when a Secreto is mapped', async () => {
    const called = await addMappedOrigin('saved', [['/card', 'Secreto']]);
    expect(await captureAndRead(called, bodyOfSize(200_000))).toMatchObject({ truncated: 1, bytes: 200_000, body: '' });
  });
});

describe('Secretos', () => {
  // Digits alone may be part of an id or of a time.
  const body = { card: { number: 'card-4111', name: 'Ana' }, total: 5 };

  test.each(['saved', 'unsaved', 'published'] as const)(
    'a value mapped to a Secreto is masked when the %s mapping maps it',
    async (where) => {
      const called = await addMappedOrigin(where, [
        ['/card/number', 'Secreto'],
        ['/_query/token', 'Secreto'],
        ['/_headers/x-token', 'Secreto'],
        ['/total', 'Número'],
      ]);
      const row = await captureAndRead(called, body, {
        query: 'token=card-4111&b=1',
        headers: { 'x-token': 'card-4111', 'x-b': '1' },
      });
      expect(JSON.parse(row.body)).toEqual({ card: { number: MASK, name: 'Ana' }, total: 5 });
      expect([...new URLSearchParams(row.query)]).toEqual([
        ['token', MASK],
        ['b', '1'],
      ]);
      expect(row.headers).toEqual({ 'x-token': MASK, 'x-b': '1' });
      expect(JSON.stringify(row)).not.toContain('card-4111');
    },
  );

  test('a value mapped to a Secreto is masked also when the whole body, query or headers are mapped', async () => {
    const called = await addMappedOrigin('saved', [
      ['', 'Secreto'],
      ['/_query', 'Secreto'],
      ['/_headers', 'Secreto'],
    ]);
    const row = await captureAndRead(called, body, { query: 'a=card-4111', headers: { 'x-a': 'card-4111' } });
    expect(JSON.parse(row.body)).toBe(MASK);
    expect(JSON.stringify(row)).not.toContain('card-4111');
    expect(JSON.stringify(row)).not.toContain('x-a');
  });

  test('a value mapped to a Secreto is masked in all duplicates of its JSON key', async () => {
    const called = await addMappedOrigin('saved', [['/card/number', 'Secreto']]);
    expect((await captureAndRead(called, '{"card":{"number":"4111"},"card":{"number":"4222"}}')).body).not.toMatch(
      /4111|4222/,
    );
    expect((await captureAndRead(called, '{"card":{"number":"4111"},"card":5}')).body).toBe('{"card":5}');
  });

  test('a value mapped to a Secreto makes the mask replace the whole body when the body has 10,000 levels', async () => {
    const called = await addMappedOrigin('saved', [['/0', 'Secreto']]);
    expect((await captureAndRead(called, `[4111,${'['.repeat(10_000)}${']'.repeat(10_000)}]`)).body).toBe(`"${MASK}"`);
  });

  test('a value mapped to a Secreto is stored unmasked once its variable has another type', async () => {
    const called = await addMappedOrigin('saved', [['/card/number', 'Secreto']]);
    await world.store.write("UPDATE matrix_variable SET type = 'Texto' WHERE process_id = ?", [called.processID]);
    expect((await captureAndRead(called, body)).body).toBe(JSON.stringify(body));
  });
});

test('only the ten newest captures stay when two replicas store captures at once', async () => {
  const called = await addOriginOfProcess();
  const other = await addOriginOfProcess();
  await sendCapture(createHookCall(other, { other: true }));
  for (let n = 0; n < 3; n += 1) await sendCapture(createHookCall(called, { old: n }));
  await Promise.all(Array.from({ length: 30 }, (_, n) => sendCapture(createHookCall(called, { n }))));
  const rows = await rowsOf(called.originID);
  expect(rows).toHaveLength(10);
  expect(rows.map(({ body }) => body).join()).not.toContain('old');
  const { captureId } = await sendCapture(createHookCall(called, { last: true }));
  expect((await rowsOf(called.originID)).map(({ capture_id }) => capture_id)).toContain(captureId);
  expect(await rowsOf(called.originID)).toHaveLength(10);
  expect(await rowsOf(other.originID)).toHaveLength(1);
});

describe('signatures', () => {
  const secret = 'whsec_test';
  const signature = (originID: string) =>
    sealSignature(world.keys, originID, { header: 'X-Signature', secret, toleranceSeconds: null });
  const headersFor = (body: string) => ({ 'x-signature': createHmac('sha256', secret).update(body).digest('hex') });

  test('a signed origin stores a call with a valid signature', async () => {
    const called = await addOriginOfProcess({ signature });
    const row = await captureAndRead(called, '{"a":1}', { signed: true, headers: headersFor('{"a":1}') });
    expect(row.body).toBe('{"a":1}');
  });

  test('a signed origin masks the header of the signature in captures, whatever name its owner gave it', async () => {
    const signatureInNamedHeader = (originID: string) =>
      sealSignature(world.keys, originID, { header: 'X-Shop-Check', secret, toleranceSeconds: null });
    const called = await addOriginOfProcess({ signature: signatureInNamedHeader });
    const headers = { 'x-shop-check': headersFor('{}')['x-signature'], 'x-event': 'order' };
    const row = await captureAndRead(called, '{}', { signed: true, headers });
    expect(row.headers).toEqual({ 'x-shop-check': MASK, 'x-event': 'order' });
  });

  test('a signed origin refuses an invalid signature before it reads the body, and stores nothing', async () => {
    const called = await addOriginOfProcess({ signature });
    for (const body of ['{"a":1}', 'no JSON']) {
      const call = createHookCall(called, body, { signed: true, headers: headersFor('{}') });
      await expect(sendCapture(call)).rejects.toMatchObject({
        code: 'WEBHOOK_SIGNATURE_INVALID',
        message: expect.stringContaining('X-Signature'),
      });
    }
    expect(await rowsOf(called.originID)).toEqual([]);
  });
});

test('an origin that was removed stores nothing', async () => {
  const called = await addOriginOfProcess();
  await world.rpc.call(webhook.removeOrigin, { id: called.originID });
  for (const signed of [false, true]) {
    await expect(sendCapture(createHookCall(called, {}, { signed }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await rowsOf(called.originID)).toEqual([]);
});
