import { call } from '../support/api';
import { readDocument } from './document';
import { Fuzzer, QUIET_LOGS, RUNS } from './fuzzer';
import { makeFuzzWorld, type FuzzWorld } from './gateway-world';
import { startStack, type Stack } from '../support/stack';

// Every route of docs/openapi/gateway.json, with a real credential, key and ids.

const description = readDocument('gateway.json');
const { operations } = description;

let stack: Stack;
let world: FuzzWorld;
let fuzzer: Fuzzer;

beforeAll(async () => {
  // Some mutations send wrong credentials, all from one address.
  stack = await startStack({ env: { ...QUIET_LOGS, FAILED_CREDENTIALS_PER_MINUTE: '1000000' } });
  world = await makeFuzzWorld(stack, { schedules: RUNS });
  const { known, knownOf, credentials } = world;
  fuzzer = new Fuzzer({
    url: stack.gateway,
    description,
    runs: RUNS,
    given: ({ name, security }) => {
      const needs = security.flatMap((scheme) => Object.keys(scheme));
      return {
        known: { ...known, ...knownOf[name] },
        credentials: [
          ...(needs.includes('accountCredential') ? [credentials.accountCredential] : []),
          ...(needs.includes('processKey') ? [credentials.processKey] : []),
        ],
      };
    },
  });
});

afterAll(() => stack?.stop());

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s never fails, never hangs, answers as documented, and accepts what the document allows',
  async (_, operation) => {
    expect(await fuzzer.findViolation(operation)).toBeUndefined();
  },
);

test('at least half of the requests pass validation, and the gateway still works', async () => {
  const { share, text } = fuzzer.report();
  process.stdout.write(`gateway, ${text}\n`);
  expect(share).toBeGreaterThanOrEqual(0.5);
  expect(await call('GET', `${stack.gateway}/v1/ping`)).toMatchObject({ status: 200 });
  expect(await world.process.start()).toMatchObject({ status: 202 });
});
