import * as fc from 'fast-check';
import * as s from '../../support/shape';
import { call } from '../support/api';
import { makeCompany, makeOwner, makeProcess, type Process } from '../support/factories';
import { hookCalls, type HookRequest } from './webhook-requests';
import { MAX_REPORT_LENGTH, QUIET_LOGS, RUNS } from './fuzzer';
import { sendWithRetry, type RawAnswer } from './raw-http';
import { answerViolation } from './answer-check';
import { makeOrigin, saveMapping, send, type Origin } from '../support/webhooks';
import { startStack, type Stack } from '../support/stack';

// Random bytes to both URLs of origins: never a 5xx, never a hang, always JSON; every capture can be shown and debugged.

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const PLAN = { requestsPerMinute: 1_000_000, monthlyCredits: 1_000_000 };

const captured = s.object({ captureId: s.text() });

const TYPES = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'];
const POINTERS = ['/a', '', '/__proto__', '/a/__proto__/x', '/_query', '/_headers/x-any', '/0/a', '/constructor'];
/** A variable of each type for each pointer. */
const VARIABLES = TYPES.flatMap((type, t) => POINTERS.map((pointer, p) => ({ name: `v${t}_${p}`, type, pointer })));

let stack: Stack;
let world: Process;
/** `plain` maps nothing, `lenient` maps nodes to text only, `greedy` maps everything and so refuses many calls. */
let plain: Origin;
let lenient: Origin;
let greedy: Origin;
const counts = new Map<number, number>();

beforeAll(async () => {
  stack = await startStack({ env: QUIET_LOGS });
  const owner = await makeOwner(stack, { company: await makeCompany(stack, { plan: PLAN }) });
  world = await makeProcess(stack, { owner, matrix: VARIABLES.map(({ name, type }) => ({ name, type })) });
  plain = await makeOrigin(world);
  lenient = await makeOrigin(world, {
    mapping: Object.fromEntries(
      VARIABLES.filter(({ type }) => type === 'Texto').map(({ name, pointer }) => [name, pointer]),
    ),
  });
  greedy = await makeOrigin(world, {
    responseMode: 'Aguardar',
    mapping: Object.fromEntries(VARIABLES.map(({ name, pointer }) => [name, pointer])),
  });
});

afterAll(() => stack?.stop());

async function ask(url: string, { body, headers, query }: HookRequest): Promise<RawAnswer> {
  const target = new URL(url).pathname + query;
  const answer = await sendWithRetry(stack.gateway, { method: 'POST', target, headers, body });
  counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
  return answer;
}

async function findViolation(property: (request: HookRequest) => Promise<string | undefined>, runs: number) {
  const asserted = fc.asyncProperty(hookCalls(), async (request) => {
    const violation = await property(request);
    if (violation !== undefined) throw new Error(violation);
  });
  const details = await fc.check(asserted, { seed: SEED, numRuns: runs, endOnFailure: true });
  return details.failed
    ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)?.slice(0, MAX_REPORT_LENGTH)}`
    : undefined;
}

test.each([
  ['the production URL of an origin that maps nothing', () => plain.prodUrl],
  ['the production URL of an origin that maps whole nodes to text', () => lenient.prodUrl],
  ['the production URL of an origin that maps everything', () => greedy.prodUrl],
  ['a URL that does not exist', () => `${stack.gateway}/hooks/${world.processID}/bwh_nobody`],
])('%s answers any bytes with JSON and never with a 5xx', async (_, url) => {
  expect(await findViolation(async (request) => answerViolation(await ask(url(), request)), RUNS * 4)).toBeUndefined();
});

test('a development URL captures all valid JSON, and captures can be shown, previewed and debugged', async () => {
  const seen: number[] = [];
  const property = async (request: HookRequest) => {
    const answer = await ask(greedy.devUrl, request);
    const violation = answerViolation(answer);
    if (violation !== undefined || answer.status !== 200) return violation;
    seen.push(answer.status);
    const { captureId: id } = captured.parse(JSON.parse(answer.body));
    for (const [method, path] of [
      ['GET', `/captures/${id}`],
      ['GET', `/captures/${id}/preview`],
      ['POST', `/captures/${id}/debug`],
      ['POST', `/captures/${id}/replay`],
    ] as const) {
      const { status } = await world.owner.tryToManage(method, path);
      if (status >= 500) return `${status} from ${method} ${path}`;
    }
    return undefined;
  };
  expect(await findViolation(property, RUNS * 2)).toBeUndefined();
  expect(seen.length).toBeGreaterThan(RUNS / 4);
  // Saving a mapping to a Secreto redacts the captures.
  await saveMapping(greedy, { v6_0: '/a', v6_1: '' });
  expect(await world.owner.manage('GET', `/origins/${greedy.id}/captures`)).toMatchObject({
    captures: expect.any(Array),
  });
});

test('many calls are accepted, and the services still work', async () => {
  process.stdout.write(
    `hooks, fuzz seed ${SEED}: ${[...counts].map(([status, times]) => `${times}×${status}`).join(' ')}\n`,
  );
  expect((counts.get(200) ?? 0) + (counts.get(202) ?? 0)).toBeGreaterThan(RUNS);
  expect(await call('GET', `${stack.gateway}/health/ready`)).toMatchObject({ status: 200 });
  expect(await call('GET', `${stack.webhook}/health/ready`)).toMatchObject({ status: 200 });
  expect(await send(plain.prodUrl, { a: 1 })).toMatchObject({ status: 202, body: { status: 'queued' } });
});
