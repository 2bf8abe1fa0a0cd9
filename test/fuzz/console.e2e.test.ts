import { call } from '../e2e/support/tenants/api';
import { LOGOUT_ROUTE, makeConsoleWorld, type ConsoleFuzzWorld } from './console-world';
import { readDocument } from './openapi-document';
import { Fuzzer } from './fuzzer';
import { startFuzzStack, type FuzzStack } from './fuzz-stack';
import { FuzzReport, MAX_MEMORY_GROWTH_MB } from './report';
import { REQUESTS_PER_ROUTE, TEST_TIME_LIMIT_MS } from './fuzz-settings';

// Every route of docs/openapi/console.json. The logout uses a login session of its own, because it ends that session.

const { operations, ...description } = readDocument('console.json');
/** Fewer requests to each route than at the gateway, because the console has three times as many routes. */
const REQUESTS_PER_CONSOLE_ROUTE = Math.ceil(REQUESTS_PER_ROUTE / 3);

let stack: FuzzStack;
let world: ConsoleFuzzWorld;
let report: FuzzReport;
let fuzzer: Fuzzer;

beforeAll(async () => {
  stack = await startFuzzStack({
    LOGIN_FAILURES_PER_MINUTE: '100000',
    LOGINS_PER_MINUTE: '100000',
    LOGINS_PER_ADDRESS: '100000',
    PASSWORD_RESETS_PER_MINUTE: '100000',
    CALLS_PER_MINUTE: '1000000',
    EVENT_ALLOW_HOSTS: '127.0.0.1',
    QUOTA_EVENT_SUBSCRIPTIONS: '1000',
  });
  report = new FuzzReport('console', () => stack);
  world = await makeConsoleWorld(stack);
  const target = {
    url: stack.console,
    description: { operations, ...description },
    runs: REQUESTS_PER_CONSOLE_ROUTE,
    // These routes validate the saved flow and mapping, and the fuzzer saves invalid ones; a session ends with its first logout.
    routesWithStoredData: [
      LOGOUT_ROUTE,
      'POST /manage/v1/processes/{pid}/publish',
      'PUT /manage/v1/origins/{id}/mapping/draft',
      'POST /manage/v1/captures/{id}/debug',
      // This route runs the saved flow, which other requests replace by flows of any kind.
      'POST /manage/v1/processes/{pid}/debug',
      // `to` must be after `from`.
      'GET /manage/v1/statistics',
    ],
    inputsFor: world.inputsFor,
    excludedMutations: ['method DELETE'],
    secrets: world.secrets,
    report,
  };
  fuzzer = new Fuzzer(target);
  const warmUp = new Fuzzer({ ...target, runs: Math.ceil(REQUESTS_PER_CONSOLE_ROUTE / 10) });
  for (const operation of operations) await warmUp.findViolation(operation);
  report.startMeasuringGrowth();
}, TEST_TIME_LIMIT_MS);

afterAll(() => stack?.stop());

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s never fails, never hangs, answers as documented, and accepts what the document allows',
  async (_, operation) => {
    expect(await fuzzer.findViolation(operation)).toBeUndefined();
  },
  TEST_TIME_LIMIT_MS,
);

test('after all requests at least half of them have passed validation, memory has not grown beyond its bound, no log shows a secret, no service has logged a fault, and the console is ready', async () => {
  const { passedShare, unavailableShare, growthMB } = report.printAndSave();
  expect(new Set(report.routes)).toEqual(new Set(operations.map(({ name }) => name)));
  expect(passedShare).toBeGreaterThanOrEqual(0.5);
  expect(unavailableShare).toBeLessThan(0.01);
  expect(growthMB).not.toBeGreaterThan(MAX_MEMORY_GROWTH_MB);
  expect(world.secrets.leakIn(await stack.log())).toBeUndefined();
  expect(await stack.faults()).toEqual([]);
  expect(await call('GET', `${stack.console}/health/ready`)).toMatchObject({ status: 200 });
});
