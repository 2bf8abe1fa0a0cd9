import { call } from '../support/api';
import { makeConsoleWorld } from './console-world';
import { readDocument } from './document';
import { Fuzzer, QUIET_LOGS, RUNS } from './fuzzer';
import { startStack, type Stack } from '../support/stack';

// Every route of docs/openapi/console.json except the logout, which would end the fuzzer's session.

const { operations, ...description } = readDocument('console.json');
const tried = operations.filter(({ name }) => name !== 'DELETE /manage/v1/session');

let stack: Stack;
let fuzzer: Fuzzer;

beforeAll(async () => {
  stack = await startStack({ env: { ...QUIET_LOGS, LOGIN_FAILURES_PER_MINUTE: '100000' } });
  const { given } = await makeConsoleWorld(stack);
  const without = ['method DELETE'];
  // These routes validate the saved flow and mapping, and the fuzzer saves invalid ones.
  const inexact = [
    'POST /manage/v1/processes/{pid}/publish',
    'PUT /manage/v1/origins/{id}/mapping/draft',
    'POST /manage/v1/captures/{id}/debug',
  ];
  fuzzer = new Fuzzer({
    url: stack.console,
    description: { operations, ...description },
    // The console has three times as many routes.
    runs: Math.ceil(RUNS / 3),
    inexact,
    given,
    without,
  });
});

afterAll(() => stack?.stop());

test.each(tried.map((operation) => [operation.name, operation] as const))(
  '%s never fails, never hangs, answers as documented, and accepts what the document allows',
  async (_, operation) => {
    expect(await fuzzer.findViolation(operation)).toBeUndefined();
  },
);

test('at least half of the requests pass validation, and the console still works', async () => {
  const { share, text } = fuzzer.report();
  process.stdout.write(`console, ${text}\n`);
  expect(share).toBeGreaterThanOrEqual(0.5);
  expect(await call('GET', `${stack.console}/health/ready`)).toMatchObject({ status: 200 });
});
