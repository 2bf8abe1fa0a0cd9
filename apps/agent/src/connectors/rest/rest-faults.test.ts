import { guardedFetch } from '@batuta/guarded-fetch';
import { createServer } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { RestStep } from '@batuta/flow';
import { listenOnFreePort } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { CLOSED_PORT, tlsServer } from '../../../test/tls-world';
import { agentHostRules } from '../../network/agent-host-rules';
import { hostAccess } from '../../network/host-access';

const sandbox = useSandbox({ workers: 1 });
const servers: Server[] = [];
const listen = (server: Server) => {
  servers.push(server);
  return listenOnFreePort(server);
};
afterAll(() => servers.forEach((server) => server.close()));

/** Runs a call with two retries, through the proxy at this port if there is one. The agent refuses the hosts in `deny`. */
async function callWithRetries(fields: Partial<RestStep>, proxyPort?: number, deny: string[] = []) {
  const proxy = proxyPort === undefined ? undefined : `http://user:pass%20word@127.0.0.1:${proxyPort}`;
  const proxies = { http: proxy, https: proxy, none: [] };
  const rules = agentHostRules({ deny });
  const isGuarded = proxy !== undefined || deny.length > 0;
  const effects = isGuarded ? { fetch: guardedFetch(rules, proxies), hostAccess: hostAccess(rules, proxies) } : {};
  const world = createFlowWorld(sandbox, effects);
  const step: RestStep = { name: 'call', type: 'rest', method: 'GET', url: '', as: 'answer', retries: 2, ...fields };
  const { errorMessage } = await world.run([step]);
  return { retries: world.slept.length, errorMessage, messages: world.messages() };
}
/**
 * A proxy that answers every request, also CONNECT, with this status; 0 = it closes the connection of a CONNECT without an answer, so only for
 * `https:` URLs.
 */
async function proxyThatAnswers(status: number) {
  const seen = { connections: 0 };
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'proxy-authenticate': 'Basic' }).end();
  });
  server.on('connection', () => (seen.connections += 1));
  server.on('connect', (_request, socket) => socket.end(status === 0 ? '' : `HTTP/1.1 ${status} No\r\n\r\n`));
  return { seen, port: await listen(server) };
}

test('a certificate that is not trusted is not retried, and the message names the setting of the agent', async () => {
  const url = `https://localhost:${await listen(tlsServer())}/`;
  const { retries, errorMessage } = await callWithRetries({ url });
  expect(retries).toBe(0);
  expect(errorMessage).toContain(
    `GET ${url} failed: the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); --ca-file`,
  );
});

test('a server without TLS is not retried, and the message says so', async () => {
  const { retries, errorMessage } = await callWithRetries({
    url: `https://127.0.0.1:${await listen(createServer())}/`,
  });
  expect(retries).toBe(0);
  expect(errorMessage).toMatch(/failed: no TLS with this server: wrong version number$/);
});

test.each<[string, Partial<RestStep>, RegExp]>([
  ['a port that HTTP clients block', { url: 'http://127.0.0.1:6000/' }, /bad port/],
  [
    'a header with a line break',
    { url: 'http://127.0.0.1:6001/', headers: { 'x-note': 'a\nb' } },
    /headers: x-note must/,
  ],
  [
    'a header beyond Latin-1',
    { url: 'http://127.0.0.1:6001/', headers: { a: 'b', 'x-price': '€ 5' } },
    /: x-price must/,
  ],
  ['a header with a wrong name', { url: 'http://127.0.0.1:6001/', headers: { 'x note': 'a' } }, /: "x note" is not/],
  ['a header that no client may set', { url: 'http://127.0.0.1:6002/', headers: { expect: '100-continue' } }, /expect/],
])('%s is not retried', async (_rule, fields, message) => {
  const { retries, errorMessage } = await callWithRetries(fields);
  expect(retries).toBe(0);
  expect(errorMessage).toMatch(message);
});

test.each([
  ['http://ana:s3cret@127.0.0.1/', 'the address of the host 127.0.0.1 has a user or a password: send them in a header'],
  ['http://ana:s3cret@not a host/', '"not a host/" is not an address'],
  ['http:ana:s3cret@not a host', '"not a host" is not an address'],
  ['http://ana:s3\ncret@not a host/', '"not a host/" is not an address'],
  ['ana:s3cret@erp.example/x', '"erp.example/x" is not an http or https address'],
  ['jdbc:mysql://ana:s3cr@t@h/db', '"h/db" is not an http or https address'],
])('an address with a password is refused without showing it: %j', async (url, message) => {
  const { retries, errorMessage, messages } = await callWithRetries({ url });
  expect(retries).toBe(0);
  expect(errorMessage).toBe(`Step "call": ${message}`);
  expect(messages).not.toMatch(/ana|s3/);
});

test('the message of a refused host is the same with and without a proxy', async () => {
  const { port, seen } = await proxyThatAnswers(502);
  for (const proxyPort of [undefined, port]) {
    const { retries, errorMessage } = await callWithRetries({ url: 'http://erp.example/' }, proxyPort, ['erp.example']);
    expect(retries).toBe(0);
    expect(errorMessage).toMatch(/^Step "call": the agent does not connect to erp\.example, port 80: /);
  }
  expect(seen.connections).toBe(0);
});

test('an answer that is cut off is retried', async () => {
  const port = await listen(
    createServer((request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('cut');
      setImmediate(() => request.socket.destroy());
    }),
  );
  const { retries, errorMessage } = await callWithRetries({ url: `http://127.0.0.1:${port}/` });
  expect(retries).toBe(2);
  expect(errorMessage).toContain('the connection was closed before the answer was complete');
});

test('a compressed answer whose end is missing is retried, although nothing else says that it was cut off', async () => {
  const body = gzipSync(JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ id }))));
  const port = await listen(
    createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(body.subarray(0, body.length / 2));
    }),
  );
  const { retries, errorMessage } = await callWithRetries({ url: `http://127.0.0.1:${port}/` }, undefined, [
    'a.example',
  ]);
  expect(retries).toBe(2);
  expect(errorMessage).toContain('the connection was closed before the answer was complete');
});

test.each([
  ['100 Continue', '', 'the server answered 100 Continue, which'],
  ['101 Switching Protocols', 'connection: upgrade\r\nupgrade: x\r\n', 'the server switched to another protocol'],
])('the message names an interim answer %s that the call did not ask for', async (status, headers, message) => {
  const interim = `HTTP/1.1 ${status}\r\n${headers}\r\n`;
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  const port = await listen(
    createSocketServer((socket) => void socket.once('data', () => socket.end(interim + answer))),
  );
  const { errorMessage } = await callWithRetries({ url: `http://127.0.0.1:${port}/` });
  expect(errorMessage).toContain(`failed: ${message}`);
});

test.each(['https://erp.example/', 'http://erp.example/'])(
  'a proxy that wants other credentials is not retried, and is named without them: %s',
  async (url) => {
    const { port } = await proxyThatAnswers(407);
    const { retries, errorMessage, messages } = await callWithRetries({ url }, port);
    expect(retries).toBe(0);
    expect(errorMessage).toMatch(`GET ${url} through the proxy http://127.0.0.1:${port} failed: `);
    expect(errorMessage).toMatch(/407|authentication/);
    expect(messages).not.toMatch(/user:|pass.*word@/);
  },
);

test.each<[number, number]>([
  [403, 0],
  [429, 2],
  [502, 2],
])('a proxy that refuses a tunnel with status %d is retried %d times', async (status, expected) => {
  const { port } = await proxyThatAnswers(status);
  const { retries, errorMessage } = await callWithRetries({ url: 'https://erp.example/' }, port);
  expect(retries).toBe(expected);
  expect(errorMessage).toContain(`the proxy answered with status ${status}`);
});

test('each attempt connects once to a proxy that closes the connection', async () => {
  const { port, seen } = await proxyThatAnswers(0);
  const { retries, errorMessage } = await callWithRetries({ url: 'https://erp.example/' }, port);
  expect(retries).toBe(2);
  expect(errorMessage).toContain(`through the proxy http://127.0.0.1:${port} failed: `);
  expect(seen.connections).toBe(3);
});

test('a proxy that is not there is retried', async () => {
  const { retries, errorMessage } = await callWithRetries({ url: 'https://erp.example/' }, CLOSED_PORT);
  expect(retries).toBe(2);
  expect(errorMessage).toContain(`through the proxy http://127.0.0.1:${CLOSED_PORT} failed: connect ECONNREFUSED`);
});
