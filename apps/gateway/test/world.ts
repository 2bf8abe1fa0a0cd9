import { migrate, openStore, type Store } from '@batuta/database';
import request from 'supertest';
import { createAnswerChecker } from '../../../test/support/answer-checker';
import { extendCallTimeLimits, LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser, type TestServer } from '../../../test/support/servers';
import { serviceUserUrl } from '../../../test/support/service-users';
import { createGateway, type RunningGateway } from '../src/app';
import { readGatewayConfig, type GatewayConfig } from '../src/config';
import { executionReplies, receivedRequests, startFakeExecution } from './fake-execution';
import { scheduleReplies, startFakeSchedule } from './fake-schedule';
import { startFakeWebhook, webhookReplies } from './fake-webhook';
import { TestRegistry, type TestAccount, type TestCredential } from './registry';

/** The world of a test: a gateway with its own database and NATS user, and fakes of the other services. */
export interface GatewayWorld {
  gateway: RunningGateway;
  config: GatewayConfig;
  store: Store;
  registry: TestRegistry;
  close(): Promise<void>;
}

const usualExecutionReplies = { ...executionReplies };
const usualScheduleReplies = { ...scheduleReplies };
const usualWebhookReplies = { ...webhookReplies };

/** Gives the fakes of all services their usual replies, and forgets the requests that they received. */
export function resetFakes(): void {
  receivedRequests.length = 0;
  Object.assign(executionReplies, usualExecutionReplies);
  Object.assign(scheduleReplies, usualScheduleReplies);
  Object.assign(webhookReplies, usualWebhookReplies);
}

/** `own` = private servers of the test; by default the world uses the shared ones. */
export async function startWorld(
  settings: NodeJS.ProcessEnv = {},
  now?: () => number,
  own?: { mariadb: TestServer; nats: TestServer },
): Promise<GatewayWorld> {
  extendCallTimeLimits();
  const [database, natsURL] = await Promise.all([
    own?.mariadb ?? createMigratedDatabase(),
    own?.nats.url ?? takeNatsUser(),
  ]);
  if (own) await migrate(own.mariadb.url);
  const store = await openStore({ url: database.url, pool: 2, statementMs: LONG_STATEMENT_MS });
  const execution = await startFakeExecution(natsURL);
  const schedule = await startFakeSchedule(natsURL);
  const webhook = await startFakeWebhook(natsURL);
  const config = readGatewayConfig({
    DATABASE_URL: await serviceUserUrl(database.url, 'gateway'),
    NATS_URL: natsURL,
    LOG_LEVEL: 'silent',
    // A long time limit, so that a slow machine does not look like a database that hangs or a service that is unavailable.
    READ_TIMEOUT_MS: '60000',
    START_TIMEOUT_MS: '60000',
    ...settings,
  });
  const gateway = await createGateway(config, now);
  resetFakes();
  return {
    gateway,
    config,
    store,
    registry: new TestRegistry(store),
    close: async () => {
      await gateway.close();
      await execution.close();
      await schedule.close();
      await webhook.close();
      await store.close();
      await Promise.all([own?.nats.stop(), 'drop' in database ? database.drop() : database.stop()]);
    },
  };
}

/** An account with a credential, a process of its own and a key of that process. */
export interface TestTenant {
  account: TestAccount;
  credential: TestCredential;
  processID: string;
  key: string;
}

export async function createTenant(registry: TestRegistry): Promise<TestTenant> {
  const account = await registry.addAccount();
  const processID = await registry.addProcess(account);
  const [credential, key] = await Promise.all([registry.addCredential(account.accountID), registry.addKey(processID)]);
  return { account, credential, processID, key };
}

export interface GatewayCallOptions {
  credential?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: string | object;
}

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

const requireDescribed = createAnswerChecker('gateway.json');

/** Makes an HTTP request with the two credentials in their headers; fails if the OpenAPI document does not describe the answer. */
export function callGateway(
  url: string,
  method: HttpMethod,
  path: string,
  { credential, key, headers, body }: GatewayCallOptions = {},
) {
  const agent = request(url);
  const test = agent[method](path)
    .set(headers ?? {})
    .expect(({ status, headers: sent, body: answer }) =>
      requireDescribed({ method, path, status, headerNames: Object.keys(sent), body: answer }),
    );
  if (credential !== undefined) void test.set('Authorization', `Bearer ${credential}`);
  if (key !== undefined) void test.set('X-Process-Key', key);
  if (typeof body === 'string' && !headers?.['Content-Type']) void test.set('Content-Type', 'application/json');
  return body === undefined ? test : test.send(body);
}

/** The credential and the process key of the tenant, for a call. */
export const asTenant = ({ credential, key }: TestTenant, more: GatewayCallOptions = {}): GatewayCallOptions => ({
  credential: credential.value,
  key,
  ...more,
});

/** The expected body of a refusal. */
export const refusalBody = (code: string, message: RegExp = /./) => ({
  error: { code, message: expect.stringMatching(message) },
});
