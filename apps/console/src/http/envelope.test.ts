import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const envelope = async (response: Response) => ({ status: response.status, body: await response.json() });

test.each([
  ['a path outside the API', 'GET', '/nothing'],
  ['an unknown route', 'GET', '/manage/v1/nothing'],
  ['a method that a route does not have', 'PUT', '/manage/v1/plans'],
  ['the root', 'GET', '/'],
])('%s is answered NOT_FOUND in the envelope', async (_, method, path) => {
  const response = await fetch(`${world.url}${path}`, { method });
  expect(await envelope(response)).toEqual({
    status: 404,
    body: { error: { code: 'NOT_FOUND', message: expect.any(String) } },
  });
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
});

/** The answer to a method that `fetch` may not know. */
async function answerTo(method: string, path: string) {
  const sent = request(`${world.url}${path}`, { method }).end();
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  if (!answer) throw new Error('no answer');
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'PUT'])(
  'the method %s of a known path is NOT_FOUND in the envelope, without a list of methods',
  async (method) => {
    for (const path of ['/manage/v1/plans', '/manage/v1/me', '/manage/v1/openapi.json', '/health/live']) {
      const { status, headers, body } = await answerTo(method, path);
      expect([path, status, headers.allow]).toEqual([path, 404, undefined]);
      expect(JSON.parse(body)).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } });
    }
  },
);

test.each([
  ['/manage/v1/openapi.json', 200],
  ['/manage/v1/me', 401],
  ['/manage/v1/nothing', 404],
])('HEAD %s is answered %d, as GET is, without a body', async (path, status) => {
  const [head, get] = [await answerTo('HEAD', path), await answerTo('GET', path)];
  const length = get.headers['content-length'];
  expect([head.status, head.body, head.headers['content-length']]).toEqual([status, '', length]);
  expect([get.status, get.body]).not.toEqual([status, '']);
});

test('a path that cannot be decoded is BAD_REQUEST', async () => {
  expect(await envelope(await fetch(`${world.url}/manage/v1/plans/%zz`, { method: 'PATCH' }))).toEqual({
    status: 400,
    body: { error: { code: 'BAD_REQUEST', message: 'path: is not a well-formed URL' } },
  });
});

test('the answer carries the request id of the caller; a malformed one is replaced', async () => {
  const idFor = async (id: string) =>
    (await fetch(`${world.url}/manage/v1/me`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  expect(await idFor('call-7')).toBe('call-7');
  expect(await idFor('a b;c')).toMatch(/^[\w-]{36}$/);
});

test('an unexpected fault is INTERNAL, with the request id and without details', async () => {
  const ana = await world.addPerson();
  await world.store.write('RENAME TABLE credential TO credential_away');
  const answer = await ana.call('GET', '/credentials');
  await world.store.write('RENAME TABLE credential_away TO credential');
  const id = answer.headers.get('x-request-id');
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    error: { code: 'INTERNAL', message: `An unexpected fault; request id ${id}.` },
  });
});

test('health and metrics are served outside of the API', async () => {
  const health = await fetch(`${world.url}/health/ready`);
  expect(await envelope(health)).toEqual({ status: 200, body: { ok: true, parts: { database: true, nats: true } } });
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toMatch(/console_http_seconds_count\{.*route="/);
  expect(metrics).toMatch(/console_errors_total\{(?=.*code="INTERNAL")(?=.*route="\/manage\/v1\/credentials")/);
});
