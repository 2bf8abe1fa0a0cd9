import { Batuta, BatutaError, BatutaUnreachable, StillInProgress } from '.';

interface Asked {
  line: string;
  headers: Headers;
  body: string;
}

/** A client whose calls get these answers, one after another; `undefined` = the connection breaks. */
function clientOf(...answers: (Response | undefined)[]) {
  const asked: Asked[] = [];
  const fetch = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    asked.push({
      line: `${request.method} ${pathname}${search}`,
      headers: request.headers,
      body: await request.text(),
    });
    const answer = answers.shift();
    if (!answer) throw new TypeError('fetch failed');
    return answer;
  };
  return { asked, batuta: new Batuta({ url: 'http://api.test/', credential: 'bat_live_a.b', fetch }) };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  json(status, { error: { code, message: `${code} it is` } }, headers);

const identity = { instanceID: 'i', processID: 'p', processName: 'P' };
const running = json(200, { ...identity, status: 'running', userName: 'ERP', startedAt: 1 });
const success = json(200, { ...identity, status: 'success', finishedAt: '2026-11-20T14:03:09.480Z' });

test('every call carries the credentials that it needs', async () => {
  const { batuta, asked } = clientOf(json(200, { account: { email: 'a@b.c' } }), json(200, { matrix: [] }));
  expect(await batuta.me()).toEqual({ email: 'a@b.c' });
  expect(await batuta.process('p/1', 'bpk_1').matrix()).toEqual([]);
  expect(asked.map(({ line, headers }) => [line, headers.get('authorization'), headers.get('x-process-key')])).toEqual([
    ['GET /v1/me', 'Bearer bat_live_a.b', null],
    ['GET /v1/processes/p%2F1/matrix', 'Bearer bat_live_a.b', 'bpk_1'],
  ]);
});

test('a refusal is thrown with its code, the request id and the time to wait', async () => {
  const { batuta } = clientOf(refusal(429, 'RATE_LIMITED', { 'x-request-id': 'r1', 'retry-after': '42' }));
  const error: unknown = await batuta.me().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BatutaError);
  expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', message: 'RATE_LIMITED it is' });
  expect(error).toMatchObject({ requestID: 'r1', retryAfter: 42 });
});

test.each([
  ['a page of a proxy', new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ['nothing', new Response('', { status: 502 })],
  ['another shape', json(502, { error: 'no' })],
])('%s in place of an envelope is UNREADABLE', async (_, answer) => {
  const { batuta } = clientOf(answer);
  await expect(batuta.me()).rejects.toMatchObject({ name: 'BatutaError', status: 502, code: 'UNREADABLE' });
});

test('a call that nothing answers says so, with the cause', async () => {
  const error: unknown = await clientOf(undefined)
    .batuta.me()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BatutaUnreachable);
  expect(error).toMatchObject({ cause: expect.any(TypeError) });
});

test('a start is sent again with the same key and body until it is answered', async () => {
  const started = json(200, { instanceID: 'i', status: 'started' });
  const { batuta, asked } = clientOf(undefined, refusal(502, 'ROUTER_ERROR'), started);
  const body = { matrix: { order: 17 } };
  expect(await batuta.process('p', 'k').start(body)).toEqual({ instanceID: 'i', status: 'started' });
  expect(new Set(asked.map(({ line, body: sent }) => `${line} ${sent}`))).toEqual(
    new Set(['POST /v1/processes/p/start {"matrix":{"order":17}}']),
  );
  const keys = new Set(asked.map(({ headers }) => headers.get('idempotency-key')));
  expect([asked.length, keys.size, [...keys][0]]).toEqual([3, 1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test('a refused start is not sent again', async () => {
  const { batuta, asked } = clientOf(refusal(400, 'INVALID_MATRIX'));
  const start = batuta.process('p', 'k').start({}, { idempotencyKey: 'order-17' });
  await expect(start).rejects.toMatchObject({ code: 'INVALID_MATRIX' });
  expect(asked.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['order-17']);
});

test('waiting for the end goes on over outages', async () => {
  const { batuta, asked } = clientOf(running.clone(), undefined, refusal(503, 'UNAVAILABLE'), success.clone());
  expect(await batuta.instance('i').ended({ within: 120_000 })).toMatchObject({ status: 'success' });
  expect(asked).toHaveLength(4);
});

test('waiting ends with what the instance was doing when the time is over', async () => {
  const { batuta } = clientOf(...Array.from({ length: 20 }, () => running.clone()));
  const error: unknown = await batuta
    .instance('i')
    .ended({ within: 50 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StillInProgress);
  expect(error).toMatchObject({ message: 'Instance i is still running.', instance: { status: 'running' } });
});
