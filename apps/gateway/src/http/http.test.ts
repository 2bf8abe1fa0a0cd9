import { MAX_BODY_BYTES } from '@batuta/http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { waitUntil } from '../../../../test/support/wait-until';
import { receivedRequests } from '../../test/fake-execution';
import {
  callGateway,
  createTenant,
  refusalBody,
  startWorld,
  type GatewayCallOptions,
  type TestTenant,
  type GatewayWorld,
} from '../../test/world';

let world: GatewayWorld;
let tenant: TestTenant;

beforeAll(async () => {
  world = await startWorld();
  tenant = await createTenant(world.registry);
});

afterAll(() => world?.close());

beforeEach(() => {
  receivedRequests.length = 0;
});

const asTenant = (more: GatewayCallOptions = {}): GatewayCallOptions => ({
  credential: tenant.credential.value,
  key: tenant.key,
  ...more,
});
const startPath = () => `/v1/processes/${tenant.processID}/start`;

/** The answer to these bytes, once the gateway has closed the connection. */
async function answerTo(text: string): Promise<string> {
  const { hostname, port } = new URL(world.gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  await once(socket, 'close');
  return answer;
}

/** Sends a start with these bytes as its body, either with a Content-Length or chunked. */
async function startBytes(bytes: Uint8Array, headers: Record<string, string> = {}, chunked = false) {
  const length = { 'Content-Length': String(bytes.length) };
  const response = await fetch(`${world.gateway.url}${startPath()}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${tenant.credential.value}`,
      'X-Process-Key': tenant.key,
      ...(chunked ? {} : length),
      ...headers,
    },
    body: chunked ? new Blob([bytes]).stream() : bytes,
    ...(chunked ? { duplex: 'half' } : {}),
  });
  return { status: response.status, body: await response.json() };
}

/** A body such as `{"matrix":{},"pad":"xxx"}` of exactly `size` bytes. */
function bodyOf(size: number): Buffer {
  const [head, tail] = ['{"matrix":{},"pad":"', '"}'];
  return Buffer.from(head + 'x'.repeat(size - head.length - tail.length) + tail);
}

describe('bodies', () => {
  test.each([false, true])('a body of 1 MB is accepted and one byte more is refused (chunked: %s)', async (chunked) => {
    expect(await startBytes(bodyOf(MAX_BODY_BYTES), {}, chunked)).toMatchObject({ status: 200 });
    expect(await startBytes(bodyOf(MAX_BODY_BYTES + 1), {}, chunked)).toEqual({
      status: 413,
      body: refusalBody('PAYLOAD_TOO_LARGE', /^body:/),
    });
    expect(receivedRequests).toHaveLength(1);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/JSON; charset=utf8',
    'application/vnd.erp+json',
  ])('a body of type %s is accepted', async (type) => {
    const sent = await startBytes(Buffer.from('{"matrix":{"name":"José"}}'), { 'Content-Type': type });
    expect([sent.status, Object(receivedRequests[0]?.request).matrix]).toEqual([200, { name: 'José' }]);
  });

  test('a body without a type, with a BOM, or empty is accepted', async () => {
    for (const bytes of [Buffer.from('{}'), Buffer.from('\ufeff{}'), Buffer.alloc(0)]) {
      expect(await startBytes(bytes)).toMatchObject({ status: 200 });
    }
  });

  test.each([
    ['iso-8859-1', 'application/json; charset=ISO-8859-1', 415, 'UNSUPPORTED_CHARSET'],
    ['utf-16', 'application/json; charset=utf-16', 415, 'UNSUPPORTED_CHARSET'],
    ['a form', 'application/x-www-form-urlencoded', 400, 'BAD_REQUEST'],
    ['text', 'text/plain', 400, 'BAD_REQUEST'],
  ])('a body of %s is refused', async (_, type, status, code) => {
    const sent = await startBytes(Buffer.from('{}'), { 'Content-Type': type });
    expect(sent).toEqual({ status, body: refusalBody(code, /^Content-Type:/) });
  });

  test('a body that is not UTF-8 or is compressed is refused', async () => {
    const latin1 = await startBytes(Buffer.from('{"matrix":{"name":"José"}}', 'latin1'));
    expect(latin1).toEqual({ status: 400, body: refusalBody('BAD_REQUEST', /^body:/) });
    const zipped = await startBytes(Buffer.from('{}'), { 'Content-Encoding': 'gzip' });
    expect(zipped).toEqual({ status: 400, body: refusalBody('BAD_REQUEST', /^Content-Encoding:/) });
    expect(receivedRequests).toEqual([]);
  });

  test('a body is not quoted in a refusal', async () => {
    const response = await callGateway(
      world.gateway.url,
      'post',
      startPath(),
      asTenant({ body: '{"matrix":{"token":"s3cret"}' }),
    );
    expect([response.status, response.text.includes('s3cret')]).toEqual([400, false]);
  });

  test('a body of any size with a name that could be read as another one is refused, and the refusal has the name', async () => {
    for (const items of [1, 40_000]) {
      const object = JSON.stringify({ list: Array.from({ length: items }, () => ({ 'a"': '\\' })), 'caf\\': 2 });
      const sent = await startBytes(Buffer.from(`{"matrix":{"object":${object}}}`));
      expect(sent).toEqual({ status: 400, body: refusalBody('BAD_REQUEST', /^body: the name "caf\\\\" /) });
    }
    expect(receivedRequests).toEqual([]);
  });

  test('a body of a control action is ignored', async () => {
    const path = '/v1/instances/01900000-0000-7000-8000-000000000000/stop';
    expect((await callGateway(world.gateway.url, 'post', path, asTenant({ body: '{{{' }))).status).toBe(200);
  });

  test('a body that breaks off starts nothing and does not harm the gateway', async () => {
    const { hostname, port } = new URL(world.gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${startPath()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.credential.value}\r\n` +
        `X-Process-Key: ${tenant.key}\r\nContent-Length: 100\r\n\r\n{"matrix":`,
    );
    socket.end();
    await once(socket.resume(), 'close');
    expect((await callGateway(world.gateway.url, 'get', '/v1/me', asTenant())).status).toBe(200);
    expect(receivedRequests).toEqual([]);
  });
});

describe('request ids', () => {
  test.each(['a', 'order-17/retry#2', '~'.repeat(64)])('X-Request-Id %s is kept', async (id) => {
    const response = await callGateway(world.gateway.url, 'get', '/v1/ping', { headers: { 'X-Request-Id': id } });
    expect(response.headers['x-request-id']).toBe(id);
  });

  test.each(['a b', '~'.repeat(65), 'caf\u00e9'])('X-Request-Id %j is replaced', async (id) => {
    const response = await callGateway(world.gateway.url, 'get', '/v1/none', { headers: { 'X-Request-Id': id } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('every answer forbids content sniffing and caching and does not name the server software', async () => {
  for (const path of ['/v1/ping', '/v1/none', '/v1/me']) {
    const { headers } = await callGateway(world.gateway.url, 'get', path);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-powered-by']));
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['etag']).toBeUndefined();
  }
});

test('an answer without an ETag is sent also to a client that asks for it only if nothing exists', async () => {
  const answer = await callGateway(world.gateway.url, 'get', '/v1/ping', { headers: { 'If-None-Match': '*' } });
  expect([answer.status, answer.body]).toEqual([200, { ok: true, version: '1' }]);
});

test('HTTP/1.0 needs no Host', async () => {
  expect(await answerTo('GET /v1/ping HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

test('the answer of a webhook URL has its length also over HTTP/1.0, so that a client notices a lost part', async () => {
  const { dev } = await world.registry.addOrigin(tenant.processID);
  const call = `POST /hooks/${tenant.processID}/${dev} HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}`;
  expect(await answerTo(call)).toMatch(/^HTTP\/1\.1 200 [^]*\r\nContent-Length: \d+\r\n[^]*"captured":true/);
});

const sendTo = (method: string, path: string) =>
  answerTo(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

test.each(['http://gateway.test', 'HTTP://[fe80::1%25eth0]:80', 'http://['])(
  'a request target that begins with %s is answered by its path and query, as one without a host is',
  async (host) => {
    const answer = await sendTo('GET', `${host}/v1/ping?x=http://[`);
    expect([answer.split('\r\n')[0], answer.includes('X-Request-Id')]).toEqual(['HTTP/1.1 200 OK', true]);
    for (const target of [host, `${host}?x`]) expect(await sendTo('GET', target)).toContain('"NOT_FOUND"');
  },
);

test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'PUT'])(
  'the method %s of a known path is NOT_FOUND in the envelope, without a list of methods',
  async (method) => {
    for (const path of ['/v1/ping', '/v1/me', startPath(), '/v1/hooks/x', '/health/live']) {
      const answer = await sendTo(method, path);
      expect([path, answer.split('\r\n')[0]]).toEqual([path, 'HTTP/1.1 404 Not Found']);
      expect(answer).not.toMatch(/\r\nAllow:/i);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(refusalBody('NOT_FOUND'));
    }
  },
);

test.each([
  ['/v1/ping', '200 OK'],
  ['/v1/me', '401 Unauthorized'],
  ['/v1/none', '404 Not Found'],
])('HEAD %s is answered %s, as GET is, without a body', async (path, status) => {
  const [head, get] = [await sendTo('HEAD', path), await sendTo('GET', path)];
  const lengthOf = (answer: string) => /\r\nContent-Length: (\d+)/i.exec(answer)?.[1];
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
  expect([head.slice(-4), lengthOf(head)]).toEqual(['\r\n\r\n', lengthOf(get)]);
});

test('a request behind a refused expectation, which ends the connection, is not carried out', async () => {
  const headers = `Host: x\r\nAuthorization: Bearer ${tenant.credential.value}\r\nX-Process-Key: ${tenant.key}\r\n`;
  const start = `POST ${startPath()} HTTP/1.1\r\n${headers}`;
  const refused = `${start}Expect: coffee\r\n\r\n`;
  const waiting = `${start}Content-Length: 2\r\n\r\n{}`;
  const answers = await answerTo(`GET /v1/me HTTP/1.1\r\n${headers}\r\n${refused}${waiting}`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 417']);
  // A start that was carried out would arrive before this one.
  expect((await callGateway(world.gateway.url, 'post', startPath(), asTenant({ body: {} }))).status).toBe(200);
  expect(receivedRequests).toHaveLength(1);
});

test.each([
  ['bytes that are not HTTP', 'nonsense\r\n\r\n', '400'],
  ['HTTP/1.1 without a Host', 'GET /v1/ping HTTP/1.1\r\nConnection: close\r\n\r\n', '400'],
  ['headers that are too large', `GET /v1/ping HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
])('the gateway refuses %s in the envelope', async (_, text, status) => {
  const answer = await answerTo(text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(refusalBody('BAD_REQUEST'));
});

test('health reports the dependencies; metrics count requests and errors by route and starts by outcome', async () => {
  const { url } = world.gateway;
  expect((await callGateway(url, 'get', '/health/live')).body).toEqual({ ok: true });
  // Under load a dependency may take so long to answer that it counts as unavailable.
  const ready = await waitUntil('the gateway is ready', async () => {
    const answer = await callGateway(url, 'get', '/health/ready');
    return answer.status === 200 && answer;
  });
  expect(ready.body).toEqual({ ok: true, parts: { database: true, nats: true } });
  await callGateway(url, 'post', startPath(), asTenant({ body: {} })).expect(200);
  await callGateway(url, 'get', `/v1/instances/${tenant.processID}`).expect(401);
  await callGateway(url, 'get', `/none/${tenant.processID}`).expect(404);
  const { text } = await callGateway(url, 'get', '/metrics');
  expect(text).toMatch(
    /gateway_errors_total\{(?=[^}]*code="MISSING_CREDENTIAL")(?=[^}]*route="\/v1\/instances\/:[^"/]+")/,
  );
  expect(text).toMatch(/gateway_errors_total\{(?=[^}]*code="NOT_FOUND")(?=[^}]*route="none")/);
  expect(text).toMatch(
    /gateway_requests_total\{(?=[^}]*route="\/v1\/processes\/:pid\/start")(?=[^}]*status="200")[^}]*\} [1-9]/,
  );
  expect(text).toMatch(/gateway_starts_total\{[^}]*outcome="started"[^}]*\} [1-9]/);
  expect(text).not.toContain(tenant.processID);
});
