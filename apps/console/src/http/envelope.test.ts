import { createWorld, type World } from '../../test/world';

let world: World;

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
])('%s is NOT_FOUND in the envelope', async (_, method, path) => {
  const response = await fetch(`${world.url}${path}`, { method });
  expect(await envelope(response)).toEqual({
    status: 404,
    body: { error: { code: 'NOT_FOUND', message: expect.any(String) } },
  });
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
});

const post = (body: string, type = 'application/json') =>
  fetch(`${world.url}/manage/v1/session`, { method: 'POST', headers: { 'content-type': type }, body });

test.each([
  ['malformed JSON', '{"a":', 'application/json', 400, 'BAD_REQUEST'],
  ['a bare text', '"text"', 'application/json', 400, 'BAD_REQUEST'],
  ['a form', 'email=a', 'application/x-www-form-urlencoded', 400, 'BAD_REQUEST'],
  ['a charset that is not UTF-8', '{}', 'application/json; charset=iso-8859-1', 415, 'UNSUPPORTED_CHARSET'],
  ['a body above 1 MB', `"${'x'.repeat(1_048_577)}"`, 'application/json', 413, 'PAYLOAD_TOO_LARGE'],
  ['a body of deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'application/json', 400, 'BAD_REQUEST'],
])('%s is refused', async (_, body, type, status, code) => {
  expect(await envelope(await post(body, type))).toMatchObject({ status, body: { error: { code } } });
});

test('a request id of the caller’s comes back, an unreadable one is replaced', async () => {
  const idFor = async (id: string) =>
    (await fetch(`${world.url}/manage/v1/me`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  expect(await idFor('call-7')).toBe('call-7');
  expect(await idFor('a b;c')).toMatch(/^[\w-]{36}$/);
});

test('an unexpected fault is INTERNAL with the request id and no detail', async () => {
  const ana = await world.person();
  await world.store.write('RENAME TABLE credential TO credential_away');
  const answer = await ana.call('GET', '/credentials');
  await world.store.write('RENAME TABLE credential_away TO credential');
  const id = answer.headers.get('x-request-id');
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    error: { code: 'INTERNAL', message: `An unexpected fault; request id ${id}.` },
  });
});

test('health and figures are served outside of the API', async () => {
  const health = await fetch(`${world.url}/health/ready`);
  expect(await envelope(health)).toEqual({ status: 200, body: { ok: true, parts: { database: true, nats: true } } });
  expect(await (await fetch(`${world.url}/metrics`)).text()).toMatch(/console_http_seconds_count\{.*route="/);
});
