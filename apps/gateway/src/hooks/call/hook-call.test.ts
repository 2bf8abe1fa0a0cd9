import { ByteRate } from '@batuta/async';
import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { MAX_BODY_BYTES } from '@batuta/http';
import fs from 'node:fs';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../../test/support/wait-until';
import { receivedRequests } from '../../../test/fake-execution';
import { webhookReplies } from '../../../test/fake-webhook';
import type { TestOrigin } from '../../../test/registry';
import { callGateway, refusalBody, resetFakes, startWorld, type GatewayWorld } from '../../../test/world';

let world: GatewayWorld;
let processID: string;
let origin: TestOrigin;
const versionID = uuid();
let written = '';
/** The clocks of the gateway and of the database; they stand still unless a test moves them. */
let now = Date.now();

beforeAll(async () => {
  jest.spyOn(DatabaseClock.prototype, 'now').mockImplementation(() => now);
  const write = fs.writeSync.bind(fs);
  jest.spyOn(fs, 'writeSync').mockImplementation((fd: number, text: unknown, ...rest: unknown[]) => {
    if (fd !== 2) return Reflect.apply(write, fs, [fd, text, ...rest]);
    written += String(text);
    return Buffer.byteLength(String(text));
  });
  world = await startWorld({ START_TIMEOUT_MS: '5000', LOG_LEVEL: 'trace' }, () => now);
  processID = await world.registry.addProcess(await world.registry.addAccount(), { versionID });
  origin = await world.registry.addOrigin(processID);
});

afterAll(async () => {
  await world?.close();
  jest.restoreAllMocks();
});

beforeEach(resetFakes);

const urlOf = (kind: 'dev' | 'prod', prefix = '/v1/hooks') => `${prefix}/${processID}/${origin[kind]}`;
const receivedRequest = () => Object(receivedRequests[0]?.request);

/** Calls a webhook URL with these bytes as the body; `chunked` sends them without a Content-Length. */
async function post(
  kind: 'dev' | 'prod',
  bytes: Uint8Array = Buffer.from('{}'),
  {
    headers = {},
    chunked = false,
    query = '',
  }: { headers?: Record<string, string>; chunked?: boolean; query?: string } = {},
) {
  const response = await fetch(`${world.gateway.url}${urlOf(kind)}${query}`, {
    method: 'POST',
    headers,
    body: chunked ? new Blob([bytes]).stream() : bytes,
    ...(chunked ? { duplex: 'half' } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

describe('development URLs', () => {
  test('a development URL passes the payload to the webhook service and starts nothing', async () => {
    const { status, body, headers } = await post('dev', Buffer.from('{"a":1}'), { query: '?x=1&x=2&y=%20' });
    expect([status, body]).toEqual([200, { captured: true, captureId: expect.any(String) }]);
    expect(headers.get('x-instance-id')).toBeNull();
    expect(receivedRequests.map(({ subject }) => subject)).toEqual(['webhook.capture']);
    expect(receivedRequest()).toMatchObject({
      originID: origin.originID,
      processID,
      body: Buffer.from('{"a":1}').toString('base64'),
      query: 'x=1&x=2&y=%20',
      signed: false,
    });
  });

  test('a development URL ignores an Idempotency-Key, even a malformed one', async () => {
    expect((await post('dev', Buffer.from('{}'), { headers: { 'Idempotency-Key': 'ação' } })).status).toBe(200);
  });

  test('a development URL passes on a refusal of the webhook service', async () => {
    webhookReplies.capture = async () => {
      throw new ApiError('UNSUPPORTED_CHARSET', 'Content-Type: the charset must be UTF-8 or ISO-8859-1');
    };
    const { status, body } = await post('dev');
    expect([status, body]).toEqual([415, refusalBody('UNSUPPORTED_CHARSET')]);
  });
});

describe('production URLs', () => {
  test('a production URL starts the published version with body, headers and idempotency key as received', async () => {
    const headers = { 'Content-Type': 'text/plain; charset=x', 'X-Shop': 'one', 'Idempotency-Key': 'k-1' };
    const { status, text, headers: answered } = await post('prod', Buffer.from('{}'), { headers });
    const { instanceID } = receivedRequest();
    expect([status, text]).toEqual([200, JSON.stringify({ instanceID, status: 'started' })]);
    expect(answered.get('x-instance-id')).toBe(instanceID);
    expect(answered.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answered.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
    expect(receivedRequests).toEqual([
      {
        subject: 'webhook.start',
        request: {
          originID: origin.originID,
          processID,
          body: 'e30=',
          contentType: 'text/plain; charset=x',
          query: '',
          headers: expect.objectContaining({ 'x-shop': 'one', 'content-type': 'text/plain; charset=x' }),
          signed: false,
          instanceID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          deadline: expect.any(Number),
          calledAt: expect.any(Number),
          originName: 'Shop',
          versionID,
          idempotencyKey: 'k-1',
        },
      },
    ]);
  });

  test('headers in UTF-8 reach the process as they were written, and others as ISO-8859-1', async () => {
    const headers = { 'X-City': Buffer.from('São Paulo').toString('latin1'), 'X-Latin': 'S\u00e3o', 'X-Plain': 'Sao' };
    expect((await post('prod', Buffer.from('{}'), { headers })).status).toBe(200);
    expect(receivedRequest().headers).toMatchObject({ 'x-city': 'São Paulo', 'x-latin': 'São', 'x-plain': 'Sao' });
  });

  test('a production URL is also served without /v1, and accepts POST only', async () => {
    const { url } = world.gateway;
    expect((await callGateway(url, 'post', urlOf('prod', '/hooks'), { body: {} })).status).toBe(200);
    expect((await callGateway(url, 'post', urlOf('prod').replace(processID, processID.toUpperCase()))).status).toBe(
      200,
    );
    for (const method of ['get', 'put', 'patch', 'delete'] as const) {
      for (const prefix of ['/hooks', '/v1/hooks']) {
        const response = await callGateway(url, method, urlOf('prod', prefix));
        expect([method, response.status, response.body]).toEqual([method, 404, refusalBody('NOT_FOUND', /path/)]);
      }
    }
  });

  test('a production URL marks the call as signed when its origin requires a signature', async () => {
    const signedOrigin = await world.registry.addOrigin(processID, { signed: true });
    await callGateway(world.gateway.url, 'post', `/hooks/${processID}/${signedOrigin.prod}`);
    expect(receivedRequest().signed).toBe(true);
  });

  test.each([
    ['started', 200],
    ['queued', 202],
  ] as const)('a production URL responds to a replay of a start that was %s without a status', async (status, code) => {
    webhookReplies.start = async () => ({ instanceID: 'first', status, replayed: true, mismatch: true });
    const { status: sent, body, headers } = await post('prod');
    expect([sent, body]).toEqual([code, { instanceID: 'first', replayed: true }]);
    expect([headers.get('x-instance-id'), headers.get('idempotency-mismatch')]).toEqual(['first', 'true']);
  });

  test('a production URL responds 202 when the start is queued', async () => {
    webhookReplies.start = async ({ instanceID }) => ({ instanceID, status: 'queued' });
    const { status, body } = await post('prod');
    expect([status, body]).toEqual([202, { instanceID: receivedRequest().instanceID, status: 'queued' }]);
  });

  test('a production URL retries under the same instance id while the webhook service does not reply, and then gives UNAVAILABLE', async () => {
    webhookReplies.start = async () => {
      if (receivedRequests.length >= 3) now += 5_000;
      throw new ApiError('UNAVAILABLE');
    };
    const { status, body } = await post('prod', Buffer.from('{"a":1}'));
    expect([status, body]).toEqual([503, refusalBody('UNAVAILABLE', /could say/)]);
    const sent = receivedRequests.map(({ request: each }) => Object(each));
    // The last two attempts are made after the deadline, to learn whether an earlier one was accepted.
    expect(sent).toHaveLength(5);
    const same = ({ instanceID, body: bytes, calledAt }: (typeof sent)[number]) => `${instanceID} ${bytes} ${calledAt}`;
    expect(new Set(sent.map(same)).size).toBe(1);
    expect(sent.map(({ resent }) => resent)).toEqual([undefined, ...sent.slice(1).map(() => true)]);
  });

  test.each([
    'PROCESS_NOT_PUBLISHED',
    'OWNER_INACTIVE',
    'AGENT_OFFLINE',
    'WEBHOOK_SIGNATURE_INVALID',
    'INVALID_MATRIX',
    'INVALID_ENVIRONMENT',
  ] as const)('a production URL passes on the refusal %s and names no route of the API', async (code) => {
    webhookReplies.start = async () => {
      throw new ApiError(code, 'why');
    };
    const { status, body } = await post('prod');
    expect([status, body]).toEqual([new ApiError(code).status, refusalBody(code, /^why$/)]);
  });
});

describe('bodies', () => {
  const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, n) => n));

  test.each([
    ['of any bytes', EVERY_BYTE],
    ['of no bytes', Buffer.alloc(0)],
    ['with a BOM', Buffer.from('\ufeff{}')],
    ['in ISO-8859-1', Buffer.from('{"a":"é"}', 'latin1')],
  ])('a body %s reaches the webhook service unchanged from both URLs', async (_, bytes) => {
    for (const chunked of [false, true]) {
      await post('dev', bytes, { chunked });
      await post('prod', bytes, { chunked });
    }
    const sent = receivedRequests.map(({ request: each }) => Buffer.from(Object(each).body, 'base64'));
    expect(sent).toEqual([bytes, bytes, bytes, bytes]);
  });

  test.each([false, true])('a body of 1 MB is accepted and one byte more is refused (chunked: %s)', async (chunked) => {
    const most = Buffer.alloc(MAX_BODY_BYTES, 'x');
    for (const kind of ['dev', 'prod'] as const) {
      expect((await post(kind, most, { chunked })).status).toBe(200);
      const { status, body } = await post(kind, Buffer.concat([most, Buffer.from('x')]), { chunked });
      expect([status, body]).toEqual([413, refusalBody('PAYLOAD_TOO_LARGE', /^body:/)]);
    }
    expect(receivedRequests.map(({ request: each }) => Object(each).body.length)).toEqual([1_398_104, 1_398_104]);
  });

  test('a body that is compressed is refused', async () => {
    const { status, body } = await post('prod', EVERY_BYTE, { headers: { 'Content-Encoding': 'gzip' } });
    expect([status, body]).toEqual([400, refusalBody('BAD_REQUEST', /^Content-Encoding:/)]);
  });
});

test('a production URL refuses an Idempotency-Key that is sent twice', async () => {
  const call = callGateway(world.gateway.url, 'post', urlOf('prod'), { body: {} });
  const { status, body } = await call.set({ 'idempotency-key': ['k-1', 'k-1'] });
  expect([status, body]).toEqual([400, refusalBody('BAD_REQUEST', /^Idempotency-Key: is sent more than once$/)]);
  expect(receivedRequests).toEqual([]);
});

test('each origin has its own rate limit, set by the plan of the owner', async () => {
  const { registry, gateway } = world;
  const { companyID } = await registry.addCompany({ requestsPerMinute: 1 });
  const pid = await registry.addProcess(await registry.addAccount({ companyID }));
  const [one, other] = [await registry.addOrigin(pid), await registry.addOrigin(pid)];
  const answers = [];
  for (const { prod } of [one, one, other])
    answers.push(await callGateway(gateway.url, 'post', `/hooks/${pid}/${prod}`));
  expect(answers.map(({ status }) => status)).toEqual([200, 429, 200]);
  expect(answers[1]?.body).toEqual(refusalBody('RATE_LIMITED', /webhook/));
  expect(Number(answers[1]?.headers['retry-after'])).toBeGreaterThan(0);
  const limits = answers.map(({ headers }) => headers['ratelimit-policy']);
  expect(limits).toEqual(Array(3).fill('"default";q=1;w=60'));
});

test('large bodies to all webhook URLs of a company count against one rate of bytes, which other companies do not share', async () => {
  const { registry, gateway } = world;
  const { companyID } = await registry.addCompany();
  const own = await Promise.all([0, 1].map(async () => registry.addProcess(await registry.addAccount({ companyID }))));
  const processOfOther = await registry.addProcess(await registry.addAccount());
  const waitMs = jest.spyOn(ByteRate.prototype, 'waitMs').mockImplementation((of) => (of === companyID ? 1_500 : 0));
  const answers = [];
  for (const pid of [...own, processOfOther]) {
    const { prod } = await registry.addOrigin(pid);
    answers.push(await callGateway(gateway.url, 'post', `/hooks/${pid}/${prod}`, { body: { a: 'x'.repeat(20_000) } }));
  }
  waitMs.mockRestore();
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [429, '2'],
    [429, '2'],
    [200, undefined],
  ]);
  expect(answers[0]?.body).toEqual(refusalBody('RATE_LIMITED', /^body:/));
});

test('each call gives one log line with its origin and without token, query or payload', async () => {
  // This test has an origin of its own, because log lines of earlier calls may still arrive.
  const own = await world.registry.addOrigin(processID);
  written = '';
  webhookReplies.start = async () => {
    throw new Error('database says no');
  };
  for (const prefix of ['/v1/hooks', '/hooks']) {
    await callGateway(world.gateway.url, 'post', `${prefix}/${processID}/${own.prod}?q=s3cret`, {
      body: { a: 's3cret' },
      headers: { 'X-Signature': 's3cret', 'Idempotency-Key': 's3cret' },
    }).expect(500);
  }
  const findLoggedLines = () =>
    written.split('\n').filter((line) => line.includes('"msg":"request"') && line.includes(own.originID));
  const lines = await waitUntil('both calls are logged', () => findLoggedLines().length >= 2 && findLoggedLines());
  expect(lines.map((line) => Object(JSON.parse(line)))).toEqual(
    ['/v1/hooks/:pid/:token', '/hooks/:pid/:token'].map((route) =>
      expect.objectContaining({ level: 30, route, status: 500, origin: own.originID }),
    ),
  );
  for (const hidden of ['s3cret', own.prod, own.prod.slice(4)]) expect(written).not.toContain(hidden);
});
