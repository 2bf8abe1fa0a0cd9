import { migrate, openStore, type Store } from '@batuta/database';
import request from 'supertest';
import { expectLateAnswers, PATIENT_STATEMENT_MS } from '../../../test/support/patience';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser, type TestServer } from '../../../test/support/servers';
import { createGateway, type Gateway } from '../src/app';
import { readGatewayConfig, type GatewayConfig } from '../src/config';
import { answers, asked, startFakeExecution } from './fake-execution';
import { scheduleAnswers, startFakeSchedule } from './fake-schedule';
import { startFakeWebhook, webhookAnswers } from './fake-webhook';
import { Registry, type TestAccount, type TestCredential } from './registry';

/** A gateway with its own database and user of NATS and fakes of the other services. */
export interface World {
  gateway: Gateway;
  config: GatewayConfig;
  store: Store;
  registry: Registry;
  close(): Promise<void>;
}

const usualAnswers = { ...answers };
const usualScheduleAnswers = { ...scheduleAnswers };
const usualWebhookAnswers = { ...webhookAnswers };

/** `own` are servers of the test itself; by default the world uses the shared ones. */
export async function startWorld(
  settings: NodeJS.ProcessEnv = {},
  now?: () => number,
  own?: { mariadb: TestServer; nats: TestServer },
): Promise<World> {
  expectLateAnswers();
  const [database, natsURL] = await Promise.all([
    own?.mariadb ?? createMigratedDatabase(),
    own?.nats.url ?? takeNatsUser(),
  ]);
  if (own) await migrate(own.mariadb.url);
  const store = await openStore({ url: database.url, pool: 2, statementMs: PATIENT_STATEMENT_MS });
  const execution = await startFakeExecution(natsURL);
  const schedule = await startFakeSchedule(natsURL);
  const webhook = await startFakeWebhook(natsURL);
  const config = readGatewayConfig({
    DATABASE_URL: database.url,
    NATS_URL: natsURL,
    LOG_LEVEL: 'silent',
    // A slow machine must not look like a database that hangs or a service that is unavailable.
    READ_TIMEOUT_MS: '60000',
    START_TIMEOUT_MS: '60000',
    ...settings,
  });
  const gateway = await createGateway(config, now);
  asked.length = 0;
  Object.assign(answers, usualAnswers);
  Object.assign(scheduleAnswers, usualScheduleAnswers);
  Object.assign(webhookAnswers, usualWebhookAnswers);
  return {
    gateway,
    config,
    store,
    registry: new Registry(store),
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
export interface Tenant {
  account: TestAccount;
  credential: TestCredential;
  processID: string;
  key: string;
}

export async function createTenant(registry: Registry): Promise<Tenant> {
  const account = await registry.account();
  const processID = await registry.process(account);
  const [credential, key] = await Promise.all([registry.credential(account.accountID), registry.key(processID)]);
  return { account, credential, processID, key };
}

export interface Call {
  credential?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: string | object;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One HTTP request, with the two credentials in their headers. */
export function call(url: string, method: Method, path: string, { credential, key, headers, body }: Call = {}) {
  const agent = request(url);
  const test = agent[method](path).set(headers ?? {});
  if (credential !== undefined) void test.set('Authorization', `Bearer ${credential}`);
  if (key !== undefined) void test.set('X-Process-Key', key);
  if (typeof body === 'string' && !headers?.['Content-Type']) void test.set('Content-Type', 'application/json');
  return body === undefined ? test : test.send(body);
}
