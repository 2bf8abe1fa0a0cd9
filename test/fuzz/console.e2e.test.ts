import { call } from '../e2e/support/api';
import { LOGOUT, makeConsoleWorld, type ConsoleWorld } from './console-world';
import { readDocument } from './document';
import { Fuzzer } from './fuzzer';
import { startFuzzStack, type FuzzStack } from './fuzz-stack';
import { FuzzReport, MAX_GROWTH_MB } from './report';
import { RUNS, TEST_MILLISECONDS } from './settings';

// Every route of docs/openapi/console.json; the logout has a session of its own.

const { operations, ...description } = readDocument('console.json');
/** The console has three times as many routes as the gateway. */
const CONSOLE_RUNS = Math.ceil(RUNS / 3);

let stack: FuzzStack;
let world: ConsoleWorld;
let report: FuzzReport;
let fuzzer: Fuzzer;

beforeAll(async () => {
  stack = await startFuzzStack({ LOGIN_FAILURES_PER_MINUTE: '100000', CALLS_PER_MINUTE: '1000000' });
  report = new FuzzReport('console', () => stack);
  world = await makeConsoleWorld(stack);
  const target = {
    url: stack.console,
    description: { operations, ...description },
    runs: CONSOLE_RUNS,
    // These routes validate the saved flow and mapping, and the fuzzer saves invalid ones; a session ends with its first logout.
    inexact: [
      LOGOUT,
      'POST /manage/v1/processes/{pid}/publish',
      'PUT /manage/v1/origins/{id}/mapping/draft',
      'POST /manage/v1/captures/{id}/debug',
    ],
    given: world.given,
    without: ['method DELETE'],
    secrets: world.secrets,
    report,
  };
  fuzzer = new Fuzzer(target);
  const warmUp = new Fuzzer({ ...target, runs: Math.ceil(CONSOLE_RUNS / 10) });
  for (const operation of operations) await warmUp.findViolation(operation);
  report.warm();
}, TEST_MILLISECONDS);

afterAll(() => stack?.stop());

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s never fails, never hangs, answers as documented, and accepts what the document allows',
  async (_, operation) => {
    expect(await fuzzer.findViolation(operation)).toBeUndefined();
  },
  TEST_MILLISECONDS,
);

test('at least half of the requests pass validation, nothing grows, no log shows a secret, no service has a fault, and the console still works', async () => {
  const { share, unavailable, growth } = report.end();
  expect(new Set(report.routes)).toEqual(new Set(operations.map(({ name }) => name)));
  expect(share).toBeGreaterThanOrEqual(0.5);
  expect(unavailable).toBeLessThan(0.01);
  expect(growth).not.toBeGreaterThan(MAX_GROWTH_MB);
  expect(world.secrets.leakIn(await stack.log())).toBeUndefined();
  expect(await stack.faults()).toEqual([]);
  expect(await call('GET', `${stack.console}/health/ready`)).toMatchObject({ status: 200 });
});
