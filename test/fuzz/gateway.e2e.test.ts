import { call } from '../e2e/support/tenants/api';
import { readDocument } from './openapi-document';
import { Fuzzer } from './fuzzer';
import { startFuzzStack, type FuzzStack } from './fuzz-stack';
import { makeGatewayWorld, type GatewayFuzzWorld } from './gateway-world';
import { FuzzReport, MAX_MEMORY_GROWTH_MB } from './report';
import { REQUESTS_PER_ROUTE, TEST_TIME_LIMIT_MS } from './fuzz-settings';

// Every route of docs/openapi/gateway.json, with a real credential, key and ids.

const gatewayDescription = readDocument('gateway.json');
const { operations } = gatewayDescription;

let stack: FuzzStack;
let world: GatewayFuzzWorld;
let report: FuzzReport;
let fuzzer: Fuzzer;

beforeAll(async () => {
  // Some mutations send wrong credentials, all from one address, which the throttle of the default setting would soon block.
  stack = await startFuzzStack({ FAILED_CREDENTIALS_PER_MINUTE: '1000000' });
  report = new FuzzReport('gateway', () => stack);
  world = await makeGatewayWorld(stack);
  const { known, knownByRoute, credentials, secrets } = world;
  const target = {
    url: stack.gateway,
    description: gatewayDescription,
    runs: REQUESTS_PER_ROUTE,
    secrets,
    report,
    inputsFor: ({ name, security }: (typeof operations)[number]) => {
      const needs = security.flatMap((scheme) => Object.keys(scheme));
      return {
        known: { ...known, ...knownByRoute[name] },
        credentials: [
          ...(needs.includes('accountCredential') ? [credentials.accountCredential] : []),
          ...(needs.includes('processKey') ? [credentials.processKey] : []),
        ],
      };
    },
  };
  fuzzer = new Fuzzer(target);
  const warmUp = new Fuzzer({ ...target, runs: Math.ceil(REQUESTS_PER_ROUTE / 10) });
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

test('status, log and events of an instance that used secrets show none of them', async () => {
  const { process, secrets, finished } = world;
  for (const id of finished) {
    for (const path of [`/instances/${id}`, `/instances/${id}/logs`, `/instances/${id}/events`]) {
      const { body } = await process.owner.api('GET', path);
      expect([path, secrets.leakIn(JSON.stringify(body))]).toEqual([path, undefined]);
    }
    for (const path of [`/instances/${id}`, `/instances/${id}/logs`, `/processes/${process.processID}/audit`]) {
      const { body } = await process.owner.tryToManage('GET', path);
      expect([path, secrets.leakIn(JSON.stringify(body))]).toEqual([path, undefined]);
    }
  }
});

test('after all requests at least half of them have passed validation, memory has not grown beyond its bound, no log shows a secret, no service has logged a fault, and the gateway accepts a start', async () => {
  const { passedShare, unavailableShare, growthMB } = report.printAndSave();
  expect(new Set(report.routes)).toEqual(new Set(operations.map(({ name }) => name)));
  expect(passedShare).toBeGreaterThanOrEqual(0.5);
  expect(unavailableShare).toBeLessThan(0.01);
  expect(growthMB).not.toBeGreaterThan(MAX_MEMORY_GROWTH_MB);
  expect(world.secrets.leakIn(await stack.log())).toBeUndefined();
  expect(await stack.faults()).toEqual([]);
  expect(await call('GET', `${stack.gateway}/v1/ping`)).toMatchObject({ status: 200 });
  expect(await world.process.start()).toMatchObject({ status: 202 });
});
