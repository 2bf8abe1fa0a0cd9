import { AGENT_PATH } from '@batuta/agent-protocol';
import * as fc from 'fast-check';
import { call } from '../e2e/support/tenants/api';
import {
  makeCompany,
  makeEnvironment,
  makeOwner,
  makeProcess,
  type Environment,
  type Process,
} from '../e2e/support/tenants/factories';
import { instanceOf, untilOnline } from '../e2e/support/tenants/instances';
import { holdConversation } from './agent-connection';
import { arbitraryConversations, FRAME_TYPES, OFFERED_INSTANCE_ID, OFFERED_FENCE } from './frames';
import { findFirstViolation } from './fuzzer';
import { startFuzzStack, type FuzzStack } from './fuzz-stack';
import { sendWithRetry } from './raw-http';
import { FuzzReport, MAX_MEMORY_GROWTH_MB } from './report';
import type { KnownValues } from './requests';
import { Secrets } from './secrets';
import { AMPLE_PLAN, REQUESTS_PER_ROUTE, TEST_TIME_LIMIT_MS } from './fuzz-settings';

// Conversations of hostile agents, generated from the schemas of their frames, and requests for a connection.

/** Queued instances that frames name without having been offered them. */
const INSTANCE_COUNT = 10;

const secrets = new Secrets();
let stack: FuzzStack;
let report: FuzzReport;
/** The environment of the hostile agent, and another one, whose agent must notice nothing of the attacks. */
let attackedEnvironment: Environment;
let quietEnvironment: Environment;
/** The process whose instances are for the hostile agent. */
let attackedProcess: Process;
/** Id of the newest session of the hostile agent, which its frames may try to resume; before the first one no such session exists. */
let lastSession = 'x';
let knownValues: KnownValues;

beforeAll(async () => {
  stack = await startFuzzStack({ FAILING_KEYS_PER_MINUTE: '100000' });
  report = new FuzzReport('agent protocol', () => stack);
  const owner = await makeOwner(stack, { company: await makeCompany(stack, { plan: AMPLE_PLAN }) });
  [attackedEnvironment, quietEnvironment] = await Promise.all([
    makeEnvironment(stack, { owner }),
    makeEnvironment(stack, { owner }),
  ]);
  await stack.startAgent(quietEnvironment);
  await untilOnline(quietEnvironment);
  attackedProcess = await makeProcess(stack, { environment: attackedEnvironment });
  secrets.keep('the activation key', attackedEnvironment.activationKey);
  secrets.keep('the account credential', owner.credential);
  const instances = await Promise.all(Array.from({ length: INSTANCE_COUNT }, startInstance));
  knownValues = {
    instanceID: fc.oneof({ weight: 3, arbitrary: fc.constant(OFFERED_INSTANCE_ID) }, fc.constantFrom(...instances)),
    fence: fc.oneof({ weight: 4, arbitrary: fc.constant(Number(OFFERED_FENCE)) }, fc.integer({ min: 1, max: 3 })),
    seq: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 3 })),
    protocol: fc.constant(1),
    agent: fc.constantFrom('hostile', 'outro', 'ação'),
  };
  await findRouterViolation(Math.ceil(REQUESTS_PER_ROUTE / 2));
  report.startMeasuringGrowth();
}, TEST_TIME_LIMIT_MS);

afterAll(() => stack?.stop());

async function startInstance(): Promise<string> {
  return instanceOf(await attackedProcess.start());
}

function findRouterViolation(runs: number): Promise<string | undefined> {
  return findFirstViolation(arbitraryConversations(knownValues), runs, async (conversation) => {
    // Later stages wait for an offer, and an earlier conversation may have taken the queued instances.
    if (conversation.stage !== 'connected') await startInstance();
    const course = await holdConversation(stack.router, attackedEnvironment.activationKey, lastSession, conversation);
    lastSession = course.sessionID ?? lastSession;
    for (const { name } of conversation.messages) report.count(name.split(' ')[0] ?? '', 'sent');
    report.count(`conversations of an agent that is ${conversation.stage}`, course.outcome);
    const leak = secrets.leakIn(course.received);
    return leak === undefined ? course.violation : `the router shows ${leak}`;
  });
}

test(
  'any frames of an agent are answered, or refused with a close code of the protocol',
  async () => {
    expect(await findRouterViolation(REQUESTS_PER_ROUTE * 4)).toBeUndefined();
    expect(report.routes).toEqual(expect.arrayContaining(FRAME_TYPES));
  },
  TEST_TIME_LIMIT_MS,
);

test(
  'any request for a connection with a wrong key is refused and never hangs',
  async () => {
    const texts = fc.oneof(fc.string(), fc.constantFrom('Bearer', 'Bearer bak_x', 'Basic dTpw', '\xff\xfe'));
    const requests = fc.record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'DELETE', 'OPTIONS'),
      path: fc.constantFrom(AGENT_PATH, AGENT_PATH, `${AGENT_PATH}/`, `${AGENT_PATH}?x=%00`, '/agent/v2', '/%zz'),
      headers: fc.tuple(
        texts.map((text): [string, string] => ['Authorization', text.replaceAll(/[^\x20-\x7e\xff\xfe]/g, '')]),
        fc.constantFrom<[string, string]>(['Connection', 'Upgrade'], ['Connection', 'close']),
        fc.constantFrom<[string, string]>(['Upgrade', 'websocket'], ['Upgrade', 'h2c']),
        fc.constantFrom<[string, string]>(['Sec-WebSocket-Version', '13'], ['Sec-WebSocket-Version', '99']),
        fc.constantFrom<[string, string]>(
          ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
          ['Sec-WebSocket-Key', 'x'],
        ),
        fc.constantFrom<[string, string]>(['Sec-WebSocket-Extensions', 'permessage-deflate; x=y'], ['X-Any', 'x']),
      ),
    });
    const violation = await findFirstViolation(requests, REQUESTS_PER_ROUTE * 4, async ({ method, path, headers }) => {
      const { status, body } = await sendWithRetry(stack.router, { method, target: path, headers });
      report.count('requests for a connection', status);
      const leak = secrets.leakIn(body);
      if (leak !== undefined) return `the answer shows ${leak}`;
      return status >= 400 && status < 500 ? undefined : `${status}`;
    });
    expect(violation).toBeUndefined();
  },
  TEST_TIME_LIMIT_MS,
);

test('after all frames the agent of another environment is connected, memory has not grown beyond its bound, no log shows a secret and no service has logged a fault', async () => {
  const { growthMB, unavailableShare } = report.printAndSave();
  expect(unavailableShare).toBeLessThan(0.01);
  expect(growthMB).not.toBeGreaterThan(MAX_MEMORY_GROWTH_MB);
  expect(secrets.leakIn(await stack.log())).toBeUndefined();
  expect(await stack.faults()).toEqual([]);
  await untilOnline(quietEnvironment);
  expect(await call('GET', `${stack.router}/health/ready`)).toMatchObject({ status: 200 });
});
