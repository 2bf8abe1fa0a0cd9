import { Batuta, BatutaError, BatutaUnreachable, StillInProgress, UnsendableCall } from '.';

interface SentRequest {
  line: string;
  headers: Headers;
  body: string;
}

/** A client whose calls get these answers in order; `undefined` = the connection fails. */
function clientOf(...answers: (Response | undefined)[]) {
  const requests: SentRequest[] = [];
  const fetch = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    requests.push({
      line: `${request.method} ${pathname}${search}`,
      headers: request.headers,
      body: await request.text(),
    });
    const answer = answers.shift();
    if (!answer) throw new TypeError('fetch failed');
    return answer;
  };
  return { requests, batuta: new Batuta({ url: 'http://api.test/', credential: 'bat_live_a.b', fetch }) };
}

const jsonResponse = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const refusalResponse = (status: number, code: string, headers?: Record<string, string>) =>
  jsonResponse(status, { error: { code, message: `${code} it is` } }, headers);

const COMMON_INSTANCE_FIELDS = { instanceID: 'i', processID: 'p', processName: 'P' };
const runningResponse = jsonResponse(200, {
  ...COMMON_INSTANCE_FIELDS,
  status: 'running',
  userName: 'ERP',
  startedAt: 1,
});
const successResponse = jsonResponse(200, {
  ...COMMON_INSTANCE_FIELDS,
  status: 'success',
  finishedAt: '2026-11-20T14:03:09.480Z',
});

test('every call sends the credentials that it needs', async () => {
  const { batuta, requests } = clientOf(
    jsonResponse(200, { account: { email: 'a@b.c' } }),
    jsonResponse(200, { matrix: [] }),
  );
  expect(await batuta.me()).toEqual({ email: 'a@b.c' });
  expect(await batuta.process('p/1', 'bpk_1').matrix()).toEqual([]);
  expect(
    requests.map(({ line, headers }) => [line, headers.get('authorization'), headers.get('x-process-key')]),
  ).toEqual([
    ['GET /v1/me', 'Bearer bat_live_a.b', null],
    ['GET /v1/processes/p%2F1/matrix', 'Bearer bat_live_a.b', 'bpk_1'],
  ]);
});

test('an error answer is thrown with its code, request id and Retry-After', async () => {
  const { batuta } = clientOf(refusalResponse(429, 'RATE_LIMITED', { 'x-request-id': 'r1', 'retry-after': '42' }));
  const error: unknown = await batuta.me().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BatutaError);
  expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', message: 'RATE_LIMITED it is' });
  expect(error).toMatchObject({ requestID: 'r1', retryAfter: 42 });
});

test.each([
  ['7', 7],
  ['99999999', 1_000_000],
  ['Fri, 20 Nov 2026 14:00:42 GMT', 42],
  ['Fri, 20 Nov 2026 13:00:00 GMT', 0],
  ['1.5', undefined],
  ['soon', undefined],
])('the Retry-After %j of an answer is a time of %p seconds', async (retryAfter, seconds) => {
  const headers = { 'retry-after': retryAfter, date: 'Fri, 20 Nov 2026 14:00:00 GMT' };
  const { batuta } = clientOf(refusalResponse(429, 'RATE_LIMITED', headers));
  const error: unknown = await batuta.me().catch((thrown: unknown) => thrown);
  expect(error).toHaveProperty('retryAfter', seconds);
});

test.each([
  ['a page of a proxy', new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ['nothing', new Response('', { status: 502 })],
  ['another shape', jsonResponse(502, { error: 'no' })],
])('an answer with %s instead of an envelope is UNREADABLE', async (_, answer) => {
  const { batuta } = clientOf(answer);
  await expect(batuta.me()).rejects.toMatchObject({ name: 'BatutaError', status: 502, code: 'UNREADABLE' });
});

test('an answer that is no JSON, as of a server at a wrong address, throws BatutaUnreachable, which says so', async () => {
  const { batuta } = clientOf(new Response('<!doctype html>', { status: 200, headers: { 'content-length': '15' } }));
  await expect(batuta.me()).rejects.toMatchObject({
    name: 'BatutaUnreachable',
    message: 'The answer does not come from the API; is the address right?',
  });
});

test('a call without an answer throws BatutaUnreachable with its cause', async () => {
  const error: unknown = await clientOf(undefined)
    .batuta.me()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BatutaUnreachable);
  expect(error).toMatchObject({ cause: expect.any(TypeError) });
});

test('a start is repeated with the same key and body until it has a final answer', async () => {
  const started = jsonResponse(200, { instanceID: 'i', status: 'started' });
  const { batuta, requests } = clientOf(undefined, refusalResponse(502, 'ROUTER_ERROR'), started);
  const body = { matrix: { order: 17 } };
  expect(await batuta.process('p', 'k').start(body)).toEqual({ instanceID: 'i', status: 'started' });
  expect(new Set(requests.map(({ line, body: sent }) => `${line} ${sent}`))).toEqual(
    new Set(['POST /v1/processes/p/start {"matrix":{"order":17}}']),
  );
  const keys = new Set(requests.map(({ headers }) => headers.get('idempotency-key')));
  expect([requests.length, keys.size, [...keys][0]]).toEqual([3, 1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test('a start whose idempotency key was used with another body says so', async () => {
  const replayed = { instanceID: 'i', status: 'started', replayed: true };
  const { batuta } = clientOf(
    jsonResponse(200, replayed, { 'idempotency-mismatch': 'true' }),
    jsonResponse(200, replayed),
  );
  const start = () => batuta.process('p', 'k').start({}, { idempotencyKey: 'order-17' });
  expect(await start()).toEqual({ ...replayed, mismatch: true });
  expect(await start()).toEqual(replayed);
});

test('the end of a start whose idempotency key was used with another body says so', async () => {
  const started = { instanceID: 'i', status: 'started' };
  const { batuta } = clientOf(
    jsonResponse(200, { ...started, replayed: true }, { 'idempotency-mismatch': 'true' }),
    successResponse.clone(),
    jsonResponse(200, started),
    successResponse.clone(),
  );
  const end = () => batuta.process('p', 'k').startAndWait({}, { within: 60_000, idempotencyKey: 'order-17' });
  expect(await end()).toMatchObject({ status: 'success', mismatch: true });
  expect(await end()).not.toHaveProperty('mismatch');
});

test.each<[string, Response | undefined]>([
  ['without an answer', undefined],
  ['with an answer 503', refusalResponse(503, 'UNAVAILABLE')],
])('the error of startAndWait names the instance whose end it could not learn, %s', async (_what, answer) => {
  const { batuta } = clientOf(jsonResponse(200, { instanceID: 'i', status: 'started' }), answer);
  await expect(batuta.process('p', 'k').startAndWait({}, { within: 0 })).rejects.toMatchObject({ instanceID: 'i' });
});

test.each<[string, unknown, RegExp]>([
  ['NaN, for which the default of the variable would apply', NaN, /^total: NaN/],
  ['infinity', [Infinity], /^0: Infinity/],
  ['a bigint', 10n, /BigInt/],
  ['a date without a time, for which the default would apply', new Date('31/12/2026'), /^total: Invalid Date/],
])('a start with %s is not sent', async (_, total, message) => {
  const { batuta, requests } = clientOf();
  const error: unknown = await batuta
    .process('p', 'k')
    .start({ matrix: { total } })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnsendableCall);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(requests).toEqual([]);
});

test.each([
  ['that no header carries', 'pedido – 17'],
  ['with a space at its end, which a header drops', 'order-17 '],
  ['with a space at its beginning, which a header drops', ' order-17'],
])('a start with an idempotency key %s is not sent', async (_, idempotencyKey) => {
  const { batuta, requests } = clientOf();
  const start = batuta.process('p', 'k').start({}, { idempotencyKey });
  await expect(start).rejects.toMatchObject({
    name: 'UnsendableCall',
    message: expect.stringMatching(/^idempotencyKey:/),
  });
  expect(requests).toEqual([]);
});

test.each(['', 'api.example.com', 'localhost:8080', 'https://ana:pw@api.example.com'])(
  'a client with the address %j is refused',
  (url) => {
    expect(() => new Batuta({ url })).toThrow(UnsendableCall);
  },
);

test('a refused start is not repeated', async () => {
  const { batuta, requests } = clientOf(refusalResponse(400, 'INVALID_MATRIX'));
  const start = batuta.process('p', 'k').start({}, { idempotencyKey: 'order-17' });
  await expect(start).rejects.toMatchObject({ code: 'INVALID_MATRIX' });
  expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['order-17']);
});

test('ended() continues to poll during outages', async () => {
  const { batuta, requests } = clientOf(
    runningResponse.clone(),
    undefined,
    refusalResponse(503, 'UNAVAILABLE'),
    successResponse.clone(),
  );
  expect(await batuta.instance('i').ended({ within: 120_000 })).toMatchObject({ status: 'success' });
  expect(requests).toHaveLength(4);
});

test('ended() throws StillInProgress with the status after its time limit', async () => {
  const { batuta } = clientOf(...Array.from({ length: 20 }, () => runningResponse.clone()));
  const error: unknown = await batuta
    .instance('i')
    .ended({ within: 50 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StillInProgress);
  expect(error).toMatchObject({ message: 'Instance i is still running.', instance: { status: 'running' } });
});

test('ended() ends with its signal although a status call has no answer', async () => {
  const stop = new AbortController();
  const fetch = (request: Request) =>
    new Promise<Response>((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
      stop.abort(new Error('enough'));
    });
  const batuta = new Batuta({ url: 'http://api.test/', credential: 'bat_live_a.b', fetch });
  await expect(batuta.instance('i').ended({ within: 120_000, signal: stop.signal })).rejects.toThrow('enough');
});

test('a log that does not fit into one answer is read page by page, newest page first or forward', async () => {
  const line = (n: number) => ({ message: `m${n}` });
  const newest = clientOf(
    jsonResponse(200, { logs: [line(3)], older: { before: 3 } }),
    jsonResponse(200, { logs: [line(1), line(2)] }),
  );
  expect(await newest.batuta.instance('i').logs()).toEqual([line(1), line(2), line(3)]);
  expect(newest.requests.map(({ line: sent }) => sent)).toEqual([
    'GET /v1/instances/i/logs?limit=1000',
    'GET /v1/instances/i/logs?before=3&limit=999',
  ]);
  const forward = clientOf(
    jsonResponse(200, { logs: [line(1)], newer: { after: 1 } }),
    jsonResponse(200, { logs: [line(2)] }),
  );
  expect(await forward.batuta.instance('i').logs({ after: 0 })).toEqual([line(1), line(2)]);
  expect(forward.requests[1]?.line).toBe('GET /v1/instances/i/logs?after=1');
  const short = clientOf(jsonResponse(200, { logs: [line(9)], older: { before: 9 } }));
  expect(await short.batuta.instance('i').logs({ limit: 1 })).toEqual([line(9)]);
});

test('more lines of a log than one answer may have are asked for in several answers', async () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => ({ message: `m${n}` }));
  const newest = clientOf(
    jsonResponse(200, { logs: lines, older: { before: 7 } }),
    jsonResponse(200, { logs: [{ message: 'older' }] }),
  );
  expect(await newest.batuta.instance('i').logs({ limit: 1_001 })).toHaveLength(1_001);
  expect(newest.requests.map(({ line }) => line)).toEqual([
    'GET /v1/instances/i/logs?limit=1000',
    'GET /v1/instances/i/logs?before=7&limit=1',
  ]);
  const forward = clientOf(
    jsonResponse(200, { logs: lines, newer: { after: 1_000 } }),
    jsonResponse(200, { logs: lines }),
  );
  expect(await forward.batuta.instance('i').logs({ after: 0, limit: 1_001 })).toHaveLength(1_001);
  expect(forward.requests.map(({ line }) => line)).toEqual([
    'GET /v1/instances/i/logs?after=0&limit=1000',
    'GET /v1/instances/i/logs?after=1000&limit=1000',
  ]);
});

test('more executions than one answer may have are asked for in several answers', async () => {
  const page = Array.from({ length: 500 }, (_, n) => ({ instanceID: `i${n}` }));
  const { batuta, requests } = clientOf(
    jsonResponse(200, { executions: page, older: { before: 'i499' } }),
    jsonResponse(200, { executions: [{ instanceID: 'last' }], older: { before: 'last' } }),
    jsonResponse(200, { executions: [], older: { before: 'last' } }),
  );
  const process = batuta.process('p', 'k');
  expect(await process.executions({ from: '2026-11-01', limit: 501 })).toEqual([...page, { instanceID: 'last' }]);
  expect(requests.map(({ line }) => line)).toEqual([
    'GET /v1/processes/p/executions?from=2026-11-01&limit=500',
    'GET /v1/processes/p/executions?from=2026-11-01&limit=1&before=i499',
  ]);
  expect((await process.executionPage()).older).toEqual({ before: 'last' });
});

test('one schedule is read by its id', async () => {
  const { batuta, requests } = clientOf(jsonResponse(200, { id: 'a' }));
  expect(await batuta.schedules.find('a')).toEqual({ id: 'a' });
  expect(requests.map(({ line }) => line)).toEqual(['GET /v1/schedules/a']);
});

test('schedules are listed over all pages', async () => {
  const { batuta, requests } = clientOf(
    jsonResponse(200, { schedules: [{ id: 'a' }], newer: { after: 'a' } }),
    jsonResponse(200, { schedules: [{ id: 'b' }] }),
  );
  expect(await batuta.schedules.list()).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(requests.map(({ line }) => line)).toEqual(['GET /v1/schedules', 'GET /v1/schedules?after=a']);
});
