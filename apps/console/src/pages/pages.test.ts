import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createWorld, type ConsoleWorld } from '../../test/world';

const INDEX = '<!doctype html><title>Batuta</title>';
const SCRIPT = 'console.log("script");'.repeat(20);
const PACKAGE = 'a packed package';
const SCRIPT_PATH = '/assets/index-B4dC0ffe.js';

let folder: string;
let world: ConsoleWorld;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-pages-'));
  await mkdir(join(folder, 'assets'));
  await mkdir(join(folder, 'downloads'));
  await writeFile(join(folder, 'downloads/batuta-agent.tgz'), PACKAGE);
  await mkdir(join(folder, '.vite'));
  await writeFile(join(folder, '../batuta-pages-secret.txt'), 'outside');
  await writeFile(join(folder, 'index.html'), INDEX);
  await writeFile(join(folder, '.vite/manifest.json'), '{}');
  const script = join(folder, SCRIPT_PATH);
  await writeFile(script, SCRIPT);
  await writeFile(`${script}.br`, brotliCompressSync(SCRIPT));
  await writeFile(`${script}.gz`, gzipSync(SCRIPT));
  world = await createWorld({}, undefined, folder);
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true });
  await rm(join(folder, '../batuta-pages-secret.txt'));
});

const get = (path: string, init: RequestInit = {}) => fetch(`${world.url}${path}`, init);

/** Requests a path exactly as written; `fetch` would normalize the path and the headers. */
const getUnchanged = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status?: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(world.url);
    request({ hostname, port, path, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
    })
      .on('error', reject)
      .end();
  });

test.each([
  '/',
  '/processes',
  '/processes/01920000-0000-7000-8000-000000000001/flow',
  '/managed',
  '/runs?status=error',
])('the path %s of a page answers index.html, which caches ask for anew', async (path) => {
  const answer = await get(path);
  expect([answer.status, await answer.text()]).toEqual([200, INDEX]);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-cache');
});

test('the package of the agent is served without a login, and asked for anew after an update', async () => {
  const answer = await get('/downloads/batuta-agent.tgz');
  expect([answer.status, await answer.text()]).toEqual([200, PACKAGE]);
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  expect(answer.headers.get('content-encoding')).toBeNull();
});

test('pages run only scripts of the console, and no other site can frame them', async () => {
  const { headers } = await get('/');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'self'",
      "script-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]),
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['identity', null],
])(
  'a client that accepts %s gets a file with a hashed name as %s, cached without expiry',
  async (accepted, encoding) => {
    const answer = await get(SCRIPT_PATH, { headers: { 'accept-encoding': accepted } });
    expect([answer.status, await answer.text()]).toEqual([200, SCRIPT]);
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    expect(answer.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  },
);

test.each(['/', SCRIPT_PATH])('%s is not sent again to a client that has it', async (path) => {
  const { headers } = await getUnchanged(path);
  const again = await getUnchanged(path, { 'if-none-match': headers.etag ?? '' });
  expect([again.status, again.body]).toEqual([304, '']);
});

test.each(['/', SCRIPT_PATH])('HEAD of %s returns only the headers', async (path) => {
  const answer = await get(path, { method: 'HEAD' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
});

test.each([
  ['GET', '/assets/index-00000000.js'],
  ['GET', '/assets/unknown'],
  ['GET', '/assets/'],
  ['GET', '/favicon.ico'],
  ['GET', '/.vite/manifest.json'],
  ['GET', '/manage/v1/unknown'],
  ['GET', '/manage'],
  ['GET', '/health/unknown'],
  ['POST', '/'],
  ['DELETE', '/processes'],
  ['POST', SCRIPT_PATH],
])('%s %s is NOT_FOUND with the envelope of the API', async (method, path) => {
  const answer = await get(path, { method });
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: expect.objectContaining({ code: 'NOT_FOUND' }) },
  ]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test.each([
  '/../batuta-pages-secret.txt',
  '/assets/../../batuta-pages-secret.txt',
  '/%2e%2e/batuta-pages-secret.txt',
  '/assets/%2e%2e%2f%2e%2e%2fbatuta-pages-secret.txt',
  '/..%5cbatuta-pages-secret.txt',
  '/%00',
  '/%',
])('the path %s leads to no file outside of the folder', async (path) => {
  const { status, body } = await getUnchanged(path);
  expect(body).not.toContain('outside');
  expect([200, 400, 403, 404]).toContain(status);
});

describe('a request for a file that is refused', () => {
  const isRefusal = (code: string) => ({ error: { code, message: expect.any(String) } });

  test.each([
    ['/', 'range', 'bytes=9999-', 416, 'BAD_REQUEST'],
    [SCRIPT_PATH, 'range', 'bytes=9999-', 416, 'BAD_REQUEST'],
    ['/downloads/batuta-agent.tgz', 'range', 'bytes=9999-', 416, 'BAD_REQUEST'],
    [SCRIPT_PATH, 'if-match', '"other"', 412, 'PRECONDITION_FAILED'],
    ['/', 'if-unmodified-since', 'Thu, 01 Jan 1970 00:00:01 GMT', 412, 'PRECONDITION_FAILED'],
  ])(
    'a request for the file %s with %s: %s is refused with %i and the envelope, which no cache keeps',
    async (path, name, value, status, code) => {
      const answer = await getUnchanged(path, { [name]: value, 'accept-encoding': 'br' });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, isRefusal(code)]);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.headers).not.toHaveProperty('last-modified');
    },
  );

  test.each(['/assets/%zz.js', '/%zz.js'])(
    'the malformed path %s of a file is refused with the envelope',
    async (path) => {
      const answer = await getUnchanged(path);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([400, isRefusal('BAD_REQUEST')]);
    },
  );

  test('a part of a file is sent to a client that asks for it', async () => {
    const answer = await getUnchanged('/downloads/batuta-agent.tgz', { range: 'bytes=2-' });
    expect([answer.status, answer.body]).toEqual([206, PACKAGE.slice(2)]);
  });
});

test('refusals and health probes have no headers of pages', async () => {
  const refused = await get('/manage/v1/me');
  expect([refused.status, await refused.json()]).toEqual([
    401,
    { error: { code: 'MISSING_CREDENTIAL', message: expect.any(String) } },
  ]);
  expect((await get('/health/live')).status).toBe(200);
  expect(await (await get('/metrics')).text()).toContain('console_http_seconds');
});
