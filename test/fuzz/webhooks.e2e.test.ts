import * as s from '../support/shape';
import { call } from '../e2e/support/tenants/api';
import { makeCompany, makeOwner, makeProcess, type Process } from '../e2e/support/tenants/factories';
import { arbitraryHookCalls, type HookRequest } from './webhook-requests';
import { findFirstViolation } from './fuzzer';
import { startFuzzStack, type FuzzStack } from './fuzz-stack';
import { sendWithRetry, type RawAnswer } from './raw-http';
import { webhookAnswerViolation } from './answer-check';
import { FuzzReport, MAX_MEMORY_GROWTH_MB } from './report';
import { Secrets } from './secrets';
import { AMPLE_PLAN, REQUESTS_PER_ROUTE, TEST_TIME_LIMIT_MS } from './fuzz-settings';
import { makeOrigin, saveMapping, sendEvent, type Origin } from '../e2e/support/webhooks/webhooks';

// Valid and invalid bodies to both URLs of origins: every call gets a JSON answer, and no 5xx but a momentary UNAVAILABLE or ROUTER_ERROR;
// no route of a capture answers with a 5xx.

const captureBodyShape = s.object({ captureId: s.text() });

const MATRIX_TYPES = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'];
const POINTERS = ['/a', '', '/__proto__', '/a/__proto__/x', '/_query', '/_headers/x-any', '/0/a', '/constructor'];
/** A variable of each type for each pointer. */
const MATRIX_VARIABLES = MATRIX_TYPES.flatMap((type, t) =>
  POINTERS.map((pointer, p) => ({ name: `v${t}_${p}`, type, pointer })),
);

const secrets = new Secrets();
let stack: FuzzStack;
let report: FuzzReport;
let hookProcess: Process;
/** `lenientOrigin` maps to variables of type Texto only, which accept any node; `greedyOrigin` maps to all types and so refuses many calls. */
let unmappedOrigin: Origin;
let lenientOrigin: Origin;
let greedyOrigin: Origin;

beforeAll(async () => {
  stack = await startFuzzStack({});
  report = new FuzzReport('webhooks', () => stack);
  const owner = await makeOwner(stack, { company: await makeCompany(stack, { plan: AMPLE_PLAN }) });
  hookProcess = await makeProcess(stack, { owner, matrix: MATRIX_VARIABLES.map(({ name, type }) => ({ name, type })) });
  unmappedOrigin = await makeOrigin(hookProcess);
  lenientOrigin = await makeOrigin(hookProcess, {
    mapping: Object.fromEntries(
      MATRIX_VARIABLES.filter(({ type }) => type === 'Texto').map(({ name, pointer }) => [name, pointer]),
    ),
  });
  greedyOrigin = await makeOrigin(hookProcess, {
    responseMode: 'Aguardar',
    mapping: Object.fromEntries(MATRIX_VARIABLES.map(({ name, pointer }) => [name, pointer])),
  });
  secrets.keep('a password', owner.password);
  secrets.keep('an account credential', owner.credential);
  for (const { devUrl, prodUrl } of [unmappedOrigin, lenientOrigin, greedyOrigin]) {
    for (const url of [devUrl, prodUrl]) secrets.keep(`the token of ${url}`, url.slice(url.lastIndexOf('/') + 1));
  }
  await findViolation(sendAnyBytesTo(greedyOrigin.prodUrl), REQUESTS_PER_ROUTE);
  report.startMeasuringGrowth();
}, TEST_TIME_LIMIT_MS);

afterAll(() => stack?.stop());

async function sendHookRequest(url: string, { body, headers, query }: HookRequest): Promise<RawAnswer> {
  const target = new URL(url).pathname + query;
  const answer = await sendWithRetry(stack.gateway, { method: 'POST', target, headers, body });
  report.count(routeOf(url), answer.status, answer.status < 400);
  return answer;
}

function routeOf(url: string): string {
  const origin = Object.entries({ unmappedOrigin, lenientOrigin, greedyOrigin }).find(([, { devUrl, prodUrl }]) =>
    [devUrl, prodUrl].includes(url),
  );
  if (!origin) return 'no such URL';
  const [name, { devUrl }] = origin;
  return `${url === devUrl ? 'development' : 'production'} URL, ${name}`;
}

function sendAnyBytesTo(url: string) {
  return async (request: HookRequest) => {
    const answer = await sendHookRequest(url, request);
    const leak = secrets.leakIn(`${JSON.stringify(answer.headers)}${answer.body}`);
    return leak === undefined ? webhookAnswerViolation(answer) : `the answer shows ${leak}`;
  };
}

function findViolation(property: (request: HookRequest) => Promise<string | undefined>, runs: number) {
  return findFirstViolation(arbitraryHookCalls(), runs, property);
}

test.each([
  ['the production URL of an origin that maps nothing', () => unmappedOrigin.prodUrl],
  ['the production URL of an origin that maps whole nodes to text', () => lenientOrigin.prodUrl],
  ['the production URL of an origin that maps everything', () => greedyOrigin.prodUrl],
  ['a URL that does not exist', () => `${stack.gateway}/hooks/${hookProcess.processID}/bwh_nobody`],
])(
  '%s answers any bytes with JSON and with no 5xx but a momentary UNAVAILABLE or ROUTER_ERROR',
  async (_, url) => {
    expect(await findViolation(sendAnyBytesTo(url()), REQUESTS_PER_ROUTE * 4)).toBeUndefined();
  },
  TEST_TIME_LIMIT_MS,
);

test(
  'a development URL captures valid JSON, and no route of a capture answers with a 5xx',
  async () => {
    const seen: number[] = [];
    const property = async (request: HookRequest) => {
      const answer = await sendHookRequest(greedyOrigin.devUrl, request);
      const violation = webhookAnswerViolation(answer);
      if (violation !== undefined || answer.status !== 200) return violation;
      seen.push(answer.status);
      const { captureId: id } = captureBodyShape.parse(JSON.parse(answer.body));
      for (const [method, path] of [
        ['GET', `/captures/${id}`],
        ['GET', `/captures/${id}/preview`],
        ['POST', `/captures/${id}/debug`],
        ['POST', `/captures/${id}/replay`],
      ] as const) {
        const { status } = await hookProcess.owner.tryToManage(method, path);
        report.count(`${method} ${path.replace(id, '{id}')}`, status, status < 400);
        if (status >= 500) return `${status} from ${method} ${path}`;
      }
      return undefined;
    };
    expect(await findViolation(property, REQUESTS_PER_ROUTE * 2)).toBeUndefined();
    expect(seen.length).toBeGreaterThan(REQUESTS_PER_ROUTE / 4);
    // Saving a mapping to a Secreto redacts the captures.
    await saveMapping(greedyOrigin, { v6_0: '/a', v6_1: '' });
    expect(await hookProcess.owner.manage('GET', `/origins/${greedyOrigin.id}/captures`)).toMatchObject({
      captures: expect.any(Array),
    });
  },
  TEST_TIME_LIMIT_MS,
);

test('after all calls many have been accepted, memory has not grown beyond its bound, no log shows a secret, no service has logged a fault, and the services are ready', async () => {
  const accepted = report.countOfStatus(200) + report.countOfStatus(202);
  const { growthMB, unavailableShare } = report.printAndSave();
  expect(accepted).toBeGreaterThan(REQUESTS_PER_ROUTE);
  expect(unavailableShare).toBeLessThan(0.01);
  expect(growthMB).not.toBeGreaterThan(MAX_MEMORY_GROWTH_MB);
  expect(secrets.leakIn(await stack.log())).toBeUndefined();
  expect(await stack.faults()).toEqual([]);
  expect(await call('GET', `${stack.gateway}/health/ready`)).toMatchObject({ status: 200 });
  expect(await call('GET', `${stack.webhook}/health/ready`)).toMatchObject({ status: 200 });
  expect(await sendEvent(unmappedOrigin.prodUrl, { a: 1 })).toMatchObject({ status: 202, body: { status: 'queued' } });
});
