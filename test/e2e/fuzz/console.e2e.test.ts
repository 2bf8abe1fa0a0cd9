import { call } from '../support/api';
import { makeConsoleWorld } from './console-world';
import { readDocument } from './document';
import { Fuzzer, QUIET, RUNS } from './fuzzer';
import { startStack, type Stack } from '../support/stack';

// Every route of docs/openapi/console.json, but the log-out of who asks.

const { operations, ...description } = readDocument('console.json');
const tried = operations.filter(({ name }) => name !== 'DELETE /manage/v1/session');

let stack: Stack;
let fuzzer: Fuzzer;

beforeAll(async () => {
  stack = await startStack({ env: { ...QUIET, LOGIN_FAILURES_PER_MINUTE: '100000' } });
  const { given } = await makeConsoleWorld(stack);
  const without = ['method DELETE'];
  // They judge the flow and the mapping that were saved, and the fuzzer saves any; a variable is mapped once.
  const inexact = [
    'POST /manage/v1/processes/{pid}/publish',
    'PUT /manage/v1/origins/{id}/mapping/draft',
    'POST /manage/v1/captures/{id}/debug',
  ];
  fuzzer = new Fuzzer({
    url: stack.console,
    description: { operations, ...description },
    // It has three times the routes.
    runs: Math.ceil(RUNS / 3),
    inexact,
    given,
    without,
  });
});

afterAll(() => stack?.stop());

test.each(tried.map((operation) => [operation.name, operation] as const))(
  '%s never fails, never hangs, answers what the document says, and takes what it allows',
  async (_, operation) => {
    expect(await fuzzer.faultOf(operation)).toBeUndefined();
  },
);

test('at least half of the inputs passed validation, and the console is well', async () => {
  const { share, text } = fuzzer.report();
  process.stdout.write(`console, ${text}\n`);
  expect(share).toBeGreaterThanOrEqual(0.5);
  expect(await call('GET', `${stack.console}/health/ready`)).toMatchObject({ status: 200 });
});
