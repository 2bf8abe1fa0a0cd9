import type { IncomingHttpHeaders } from 'node:http';
import type { RestStep } from '@batuta/flow';
import { startWebServer, type WebServer } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const sandbox = useSandbox({ workers: 1 });
const servers: WebServer[] = [];
let first: string;
let other: string;
let seen: SeenRequest[];

/** A server that redirects `/to?status=307&location=…`, and answers everything else. */
async function startServer(): Promise<string> {
  const server = await startWebServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      const parameters = new URL(url, 'http://x').searchParams;
      const location = parameters.get('location');
      if (location === null) response.end('arrived');
      else response.writeHead(Number(parameters.get('status') ?? 302), { location }).end('moved');
    });
  });
  servers.push(server);
  return server.url;
}

beforeAll(async () => {
  [first, other] = await Promise.all([startServer(), startServer()]);
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  for (const server of servers) await server.stop();
});

const redirecting = (from: string, location: string, status = 302) =>
  `${from}/to?status=${status}&location=${encodeURIComponent(location)}`;
const call = async (url: string, fields: Partial<RestStep> = {}) => {
  const world = createFlowWorld(sandbox);
  const step: RestStep = { name: 'call', type: 'rest', method: 'GET', url, ...fields };
  const end = await world.run([step], {
    matrix: [
      { name: 'token', type: 'Secreto', value: 'matrix-secret' },
      { name: 'tenant', type: 'Texto', value: 'seven' },
    ],
    vault: { KEY: 'vault-secret' },
  });
  return { end, last: seen.at(-1), messages: world.messages() };
};

const HEADERS = {
  'X-Api-Key': '{vault.KEY}',
  'X-Token': 'v1 {matrix.token}',
  'X-Mapped': '{{key}}',
  Authorization: 'Basic written-out',
  Cookie: 'session=written-out',
  'X-Auth-Token': 'written-out',
  'X-Tenant': '{matrix.tenant}',
};
const MAPPING: RestStep['mapping'] = { key: { mode: 'Variável ou texto', value: '{vault.KEY}' } };

test('a redirect to another origin takes along no header with a secret and no credential, and the other headers', async () => {
  const { messages, last } = await call(redirecting(first, `${other}/end`), { headers: HEADERS, mapping: MAPPING });
  expect(messages).toContain(
    'WARNING Step "call": was redirected to another origin, which did not get x-api-key, x-token, x-mapped, authorization, cookie, x-auth-token',
  );
  expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'vault-secret', 'x-mapped': 'vault-secret' });
  expect(last).toMatchObject({ url: '/end', headers: { 'x-tenant': 'seven', 'x-request-id': 'r-1' } });
  expect(JSON.stringify(last?.headers)).not.toMatch(/secret|written-out/);
});

test('a redirect within the origin takes along every header', async () => {
  const { messages, last } = await call(redirecting(first, '/end'), { headers: HEADERS, mapping: MAPPING });
  expect(messages).not.toContain('WARNING');
  expect(last).toMatchObject({
    url: '/end',
    headers: {
      'x-api-key': 'vault-secret',
      'x-token': 'v1 matrix-secret',
      'x-mapped': 'vault-secret',
      authorization: 'Basic written-out',
      cookie: 'session=written-out',
    },
  });
});

test('a secret that another origin did not get is not sent again after a redirect back', async () => {
  const { last } = await call(redirecting(first, redirecting(other, `${first}/end`)), { headers: HEADERS });
  expect(last?.url).toBe('/end');
  expect(JSON.stringify(last?.headers)).not.toMatch(/secret|written-out/);
});

test.each<[number, RestStep['method'], string, string]>([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'PUT', 'GET', ''],
  [302, 'PUT', 'PUT', '{"a":1}'],
  [307, 'POST', 'POST', '{"a":1}'],
  [308, 'POST', 'POST', '{"a":1}'],
])('after status %d a %s is repeated as %s', async (status, method, repeated, body) => {
  const { last } = await call(redirecting(first, `${other}/end`, status), { method, body: { a: 1 } });
  expect(last).toMatchObject({ url: '/end', method: repeated, body });
  expect(last?.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
});

test.each([
  ['file:///etc/passwd', / failed: redirected to something that is not an http or https address$/],
  ['http://ana:word@127.0.0.1/', / failed: redirected to an address with a user or a password$/],
])('a redirect to %s fails the step', async (location, message) => {
  const { end } = await call(redirecting(first, location));
  expect(end.errorMessage).toMatch(message);
});

test('redirects without end fail the step', async () => {
  const { end } = await call(`${first}/to?location=`, { retries: 2 });
  expect(end.errorMessage).toMatch(/ failed: redirected more than 20 times$/);
  expect(seen).toHaveLength(21);
});
