import type { IncomingHttpHeaders } from 'node:http';
import type { RestStep, Step } from '@batuta/flow';
import { waitUntil } from '../../../../../test/support/wait-until';
import { startWebServer, type WebServer } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { CLOSED_PORT } from '../../../test/tls-world';

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}
interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  silent?: true;
}

const sandbox = useSandbox({ workers: 1 });
let server: WebServer;
let base: string;
let seen: SeenRequest[];
let answers: ScriptedAnswer[];

beforeAll(async () => {
  server = await startWebServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      const { status = 200, headers: own = {}, body = '', silent } = answers.shift() ?? {};
      if (!silent) response.writeHead(status, own).end(body);
    });
  });
  base = server.url;
});
beforeEach(() => {
  seen = [];
  answers = [];
});
afterAll(() => server.stop());

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const MATRIX_VALUES = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'items', type: 'Lista', value: ['a', 'b'] },
  { name: 'token', type: 'Secreto', value: 'hunter2-secret' },
];

const restStep = (fields: Partial<RestStep> = {}): RestStep => ({
  name: 'call',
  type: 'rest',
  method: 'GET',
  url: base,
  as: 'answer',
  ...fields,
});
const showStep = (...names: string[]): Step => ({
  name: 'show',
  type: 'variables',
  rows: names.map((name, n) => ({ name: `v${n}`, mode: 'Variável ou texto', value: `{${name}}` })),
});
const runSteps = async (step: RestStep, ...then: Step[]) => {
  const world = createFlowWorld(sandbox);
  const end = await world.run([step, ...then], { matrix: MATRIX_VALUES, vault: { KEY: 'vault-value-1' } });
  return { end, world, messages: world.messages() };
};

test('the variable of the step has the status, the headers and the parsed JSON of the answer', async () => {
  answers = [{ status: 201, headers: JSON_TYPE, body: '{"order":{"id":7}}' }];
  const { messages } = await runSteps(
    restStep({ routes: [{ to: 'show' }] }),
    showStep('answer.status', 'answer.body.order.id', 'answer.headers.content-type'),
  );
  expect(messages).toContain('v0 = 201, v1 = 7, v2 = "application/json; charset=utf-8"');
  expect(messages).toMatch(/Step "call": GET http:\/\/127\.0\.0\.1:\d+ answered 201 in \d+ ms/);
});

test('several headers with one name, such as cookies, are all in the variable of the step', async () => {
  answers = [{ headers: { 'Set-Cookie': ['session=1; Path=/', 'language=pt'] } }];
  const { messages } = await runSteps(restStep({ routes: [{ to: 'show' }] }), showStep('answer.headers.set-cookie'));
  expect(messages).toContain('v0 = "session=1; Path=/, language=pt"');
});

test.each<[string, ScriptedAnswer, string]>([
  ['text stays text', { body: 'plain' }, '"plain"'],
  ['a missing body is empty', {}, 'empty'],
  ['broken JSON stays text', { headers: JSON_TYPE, body: '{oops' }, '"{oops"'],
  [
    'the declared charset is read',
    { headers: { 'content-type': 'text/plain; charset=ISO-8859-1' }, body: Buffer.from('S\xe3o', 'latin1') },
    '"São"',
  ],
])('in the variable of an answer %s', async (_rule, answer, shown) => {
  answers = [answer];
  const { messages } = await runSteps(restStep({ routes: [{ to: 'show' }] }), showStep('answer.body'));
  expect(messages).toContain(`v0 = ${shown}`);
});

test('Moeda has a dot decimal in URL, headers and text body', async () => {
  await runSteps(
    restStep({
      method: 'POST',
      url: `${base}/pay?v={matrix.total}`,
      headers: { 'X-Total': '{matrix.total}' },
      body: 'total {matrix.total}',
    }),
  );
  expect(seen[0]).toMatchObject({
    url: '/pay?v=1234.50',
    body: 'total 1234.50',
    headers: { 'x-total': '1234.50', 'content-type': 'text/plain; charset=utf-8' },
  });
});

test('a JSON body keeps the types of its variables', async () => {
  await runSteps(
    restStep({ method: 'PUT', body: { total: '{matrix.total}', items: '{matrix.items}', note: 'R {matrix.total}' } }),
  );
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ total: 1234.5, items: ['a', 'b'], note: 'R 1234.50' });
  expect(seen[0]?.headers['content-type']).toBe('application/json');
});

test('secrets and vault values are sent and never logged', async () => {
  answers = [{ body: 'you sent hunter2-secret' }];
  const { messages } = await runSteps(
    restStep({
      url: `${base}/?k={vault.KEY}`,
      headers: { authorization: 'Bearer {matrix.token}' },
      routes: [{ to: 'show' }],
    }),
    showStep('answer.body'),
  );
  expect(seen[0]).toMatchObject({ url: '/?k=vault-value-1', headers: { authorization: 'Bearer hunter2-secret' } });
  expect(messages).not.toMatch(/hunter2|vault-value/);
  expect(messages).toContain('v0 = "you sent •••"');
});

test('a call carries the request id, and an idempotency key that is equal for all attempts of one step', async () => {
  answers = [{ status: 503 }, {}];
  await runSteps(restStep({ method: 'POST', retries: 1 }));
  expect(seen.map((request) => request.headers['x-request-id'])).toEqual(['r-1', 'r-1']);
  expect(seen.map((request) => request.headers['idempotency-key'])).toEqual(['i-1:1', 'i-1:1']);
});

test('an answer with status 400 or above fails the step, and onError can read its status and body', async () => {
  answers = [{ status: 422, headers: JSON_TYPE, body: '{"why":"no stock"}' }];
  const { end, messages } = await runSteps(
    restStep({ onError: [{ when: '{lastErrorStatus} === 422', to: 'show' }] }),
    showStep('answer.body.why'),
  );
  expect(end.outcome).toBe('FINALIZED');
  expect(messages).toMatch(/ERROR Step "call": GET \S+ answered 422: {"why":"no stock"}/);
  expect(messages).toContain('v0 = "no stock"');
});

test.each<[string, number, number, number]>([
  ['an answer 503 is retried as often as the step allows', 503, 2, 3],
  ['an answer 429 is retried', 429, 1, 2],
  ['a step without retries makes one call', 503, 0, 1],
  ['an answer 404 is not retried', 404, 2, 1],
])('the retries of a call: %s', async (_rule, status, retries, calls) => {
  answers = [1, 2, 3].map(() => ({ status }));
  const { end } = await runSteps(restStep({ retries }));
  expect(seen).toHaveLength(calls);
  expect(end.errorMessage).toContain(`answered ${status}`);
});

test.each([
  ['in seconds', '45'],
  ['as a date', 'Mon, 05 Jan 2026 12:00:45 GMT'],
])('a retry waits for the time that Retry-After gives %s', async (_form, header) => {
  answers = [{ status: 429, headers: { 'retry-after': header } }, {}];
  const { end, world } = await runSteps(restStep({ retries: 1 }));
  expect(end.outcome).toBe('FINALIZED');
  expect(world.slept).toEqual([45_000]);
});

test('a call is not repeated when Retry-After asks for more than five minutes', async () => {
  answers = [{ status: 429, headers: { 'retry-after': '301' } }, {}];
  const { end, world } = await runSteps(restStep({ retries: 1 }));
  expect(end.errorMessage).toContain('answered 429');
  expect(seen).toHaveLength(1);
  expect(world.slept).toEqual([]);
});

test('without an answer the step fails after its timeout', async () => {
  answers = [{ silent: true }];
  const { end } = await runSteps(restStep({ timeoutSeconds: 1 }));
  expect(end.errorMessage).toMatch(/did not answer within 1 s/);
});

test('a refused connection fails the step with the reason', async () => {
  const { end } = await runSteps(restStep({ url: `http://127.0.0.1:${CLOSED_PORT}` }));
  expect(end.errorMessage).toMatch(/GET http:\/\/127\.0\.0\.1:\d+ failed: .*ECONNREFUSED/);
});

test.each([['nonsense'], ['file:///etc/passwd'], ['ftp://example.org/']])('the address %s is refused', async (url) => {
  expect((await runSteps(restStep({ url }))).end.errorMessage).toMatch(/is not an (http or https )?address/);
});

test('an answer above the maximum size fails the step', async () => {
  answers = [{ body: Buffer.alloc(6 * 1024 * 1024, 'x') }];
  expect((await runSteps(restStep())).end.errorMessage).toMatch(/more than 5242880 bytes/);
});

test('a GET with a body is refused', async () => {
  expect((await runSteps(restStep({ body: 'x' }))).end.errorMessage).toContain('a GET call cannot have a body');
});

test('a stop ends a call in flight', async () => {
  answers = [{ silent: true }];
  const world = createFlowWorld(sandbox);
  const end = world.run([restStep()]);
  await waitUntil('the call has arrived', () => seen.length > 0);
  world.control.setDesired('stop');
  expect((await end).outcome).toBe('STOPPED');
});
