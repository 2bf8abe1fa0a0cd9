import * as fc from 'fast-check';
import { call } from './api';
import { readDocument, type Operation } from './fuzz/document';
import { sendRaw, type RawAnswer } from './fuzz/raw-http';
import { rawOf, requestsOf, type Parts } from './fuzz/requests';
import { twists, type Twist } from './fuzz/twists';
import { complaintAbout, passed } from './fuzz/verdict';
import { makeFuzzWorld, type FuzzWorld } from './fuzz/world';
import { startStack, type Stack } from './stack';

// Every route of docs/openapi/gateway.json, with a credential, a key and ids that are real. Two requests of three are what
// the document allows; the third has one thing about it that no document allows.
// FUZZ_SEED=7 FUZZ_RUNS=1000 looks elsewhere, and longer.

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);
const ANSWER_MILLISECONDS = 10_000;
/** Of one route; what has not been tried by then is left out. */
const ROUTE_MILLISECONDS = Number(process.env['FUZZ_ROUTE_MS'] ?? 5_000);

const description = readDocument('gateway.json');
const { operations } = description;

interface Count {
  sent: number;
  passed: number;
  statuses: Map<number, number>;
}
const counts = new Map<string, Count>();

let stack: Stack;
let world: FuzzWorld;

beforeAll(async () => {
  // Wrong credentials are some of the twists, and all come from one address.
  stack = await startStack({ env: { FAILED_CREDENTIALS_PER_MINUTE: '1000000', LOG_LEVEL: 'error' } });
  const hasSchedules = operations.some(({ path }) => path === '/v1/schedules');
  world = await makeFuzzWorld(stack, { schedules: hasSchedules ? RUNS : 0 });
}, 120_000);

afterAll(() => stack?.stop());

function inputsOf(operation: Operation): fc.Arbitrary<[Parts, Twist | undefined]> {
  const needs = operation.security.flatMap((scheme) => Object.keys(scheme));
  const { accountCredential, processKey } = world.credentials;
  const credentials = [
    ...(needs.includes('accountCredential') ? [accountCredential] : []),
    ...(needs.includes('processKey') ? [processKey] : []),
  ];
  const known = { ...world.known, ...world.knownOf[operation.name] };
  const twist = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: twists() });
  return fc.tuple(requestsOf(operation, known, credentials), twist);
}

async function ask(operation: Operation, parts: Parts): Promise<RawAnswer> {
  const answer = await sendRaw(stack.gateway, rawOf(parts), ANSWER_MILLISECONDS);
  const count = counts.get(operation.name) ?? { sent: 0, passed: 0, statuses: new Map() };
  counts.set(operation.name, count);
  count.sent += 1;
  count.passed += passed(answer) ? 1 : 0;
  count.statuses.set(answer.status, (count.statuses.get(answer.status) ?? 0) + 1);
  return answer;
}

/** Refusals of what was sent; a request that the document allows must not meet them. */
const OF_THE_REQUEST = [400, 401, 413, 415];

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s never fails, never hangs, answers what the document says, and takes what it allows',
  async (_, operation) => {
    const property = fc.asyncProperty(inputsOf(operation), async ([parts, twist]) => {
      const answer = await ask(operation, twist ? twist.apply(parts) : parts);
      const complaint =
        complaintAbout(answer, { description, operation, twisted: twist !== undefined }) ??
        (!twist && OF_THE_REQUEST.includes(answer.status) ? 'refused, though the document allows it' : undefined);
      if (complaint === undefined) return;
      throw new Error(
        `${complaint}\nto ${twist?.name ?? 'a plain request'}: ${answer.status} ${answer.body.slice(0, 500)}`,
      );
    });
    const bounds = { interruptAfterTimeLimit: ROUTE_MILLISECONDS, markInterruptAsFailure: false };
    const details = await fc.check(property, { seed: SEED, numRuns: RUNS, ...bounds });
    expect(details.failed ? fc.defaultReportMessage(details) : undefined).toBeUndefined();
  },
);

test('at least half of the inputs passed validation, and the gateway is well', async () => {
  const rows = [...counts].map(([name, count]) => {
    const statuses = [...count.statuses].toSorted(([one], [other]) => one - other);
    const share = ((100 * count.passed) / count.sent).toFixed(0).padStart(3);
    return `${share} % of ${count.sent} ${name}: ${statuses.map(([status, n]) => `${n}×${status}`).join(' ')}`;
  });
  const sum = (of: (count: Count) => number) => [...counts.values()].reduce((total, count) => total + of(count), 0);
  const share = sum((count) => count.passed) / sum((count) => count.sent);
  process.stdout.write(`fuzz seed ${SEED}: ${(100 * share).toFixed(1)} % passed validation\n${rows.join('\n')}\n`);
  expect([...counts.keys()].toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  expect(share).toBeGreaterThanOrEqual(0.5);
  expect(await call('GET', `${stack.gateway}/v1/ping`)).toMatchObject({ status: 200 });
  expect(await world.process.start()).toMatchObject({ status: 202 });
});
