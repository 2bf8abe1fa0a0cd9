import { migrate, openStore, type Store } from '@batuta/database';
import { randomBytes, randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { createAnswerChecker } from '../../../test/support/answer-checker';
import { extendCallTimeLimits, LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser, type TestServer } from '../../../test/support/servers';
import { serviceUserUrl } from '../../../test/support/service-users';
import { createConsole } from '../src/app';
import { readConsoleConfig, type ConsoleConfig } from '../src/config';
import { hashCheaply, useCheapHashes } from './cheap-hashes';
import { startFakeExecution, type FakeExecution } from './fake-execution';
import { startFakeSchedule, type FakeSchedule } from './fake-schedule';
import type { FakeEventSubscriptions } from './fake-event-subscriptions';
import { startFakeWebhook, type FakeWebhook } from './fake-webhook';
import { insertAccount, insertCompany } from './new-account';

export interface ConsoleResponse {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

type CallHeaders = Record<string, string>;

/** Throws when the OpenAPI document does not list the status, a header or the error code of an answer. */
const requireDescribed = createAnswerChecker('console.json');

/** A client of the management API, with a session or without. */
export interface ConsoleCaller {
  call(method: string, path: string, body?: unknown, headers?: CallHeaders): Promise<ConsoleResponse>;
  /** Makes a call that must succeed, and returns the body of the answer. */
  must(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Makes a call that must be refused; `error` of the result is status and code, such as `404 NOT_FOUND`. */
  refusal(method: string, path: string, body?: unknown): Promise<{ error: string; message: string }>;
}

/** An account of a company, and a client with a session of the account. */
export interface TestPerson extends ConsoleCaller {
  id: string;
  email: string;
  password: string;
  token: string;
  companyID: string;
}

export interface ConsoleWorld {
  url: string;
  config: ConsoleConfig;
  store: Store;
  fakeExecution: FakeExecution;
  fakeSchedule: FakeSchedule;
  fakeWebhook: FakeWebhook;
  fakeEvents: FakeEventSubscriptions;
  anonymous: ConsoleCaller;
  operator: ConsoleCaller;
  planID: string;
  /** Adds a company and returns its id. */
  addCompany(): Promise<string>;
  /** Adds an account with a session, in a new company unless one is given. */
  addPerson(given?: { companyID?: string; role?: 'member' | 'administrator'; name?: string }): Promise<TestPerson>;
  /** Logs in and returns the token of the session. */
  logIn(email: string, password: string): Promise<string>;
  /** A client of this console, or of the replica at `url`. */
  client(token?: string, url?: string): ConsoleCaller;
  close(): Promise<void>;
}

const PASSWORD = 'correct horse battery';

/**
 * Starts a console on a real MariaDB and NATS, with fakes for the other services, and with pages only if `webFolder` is given. `own`: private
 * servers of the test, for tests that stop them; `close` stops them.
 */
export async function createWorld(
  settings: NodeJS.ProcessEnv = {},
  own?: { mariadb: TestServer; nats: TestServer },
  webFolder?: string,
): Promise<ConsoleWorld> {
  extendCallTimeLimits();
  useCheapHashes();
  const database = own?.mariadb ?? (await createMigratedDatabase());
  if (own) await migrate(own.mariadb.url);
  const natsURL = own?.nats.url ?? (await takeNatsUser());
  const execution = await startFakeExecution(natsURL);
  const schedule = await startFakeSchedule(natsURL);
  const webhook = await startFakeWebhook(natsURL);
  const config = readConsoleConfig({
    DATABASE_URL: await serviceUserUrl(database.url, 'console'),
    NATS_URL: natsURL,
    LOG_LEVEL: 'silent',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    OPERATOR_EMAIL: 'operator@example.com',
    OPERATOR_PASSWORD: PASSWORD,
    GATEWAY_PUBLIC_URL: 'https://api.example.com/batuta/',
    ROUTER_PUBLIC_URL: 'https://router.example.com/',
    AGENT_IMAGE: 'registry.example.com/batuta-agent:1',
    ...settings,
  });
  const service = await createConsole(config, { webFolder });
  const store = await openStore({ url: database.url, pool: 2, statementMs: LONG_STATEMENT_MS });

  const client = (token?: string, url = service.url) => clientOf(`${url}/manage/v1`, token);
  const anonymous = client();
  const logIn = async (email: string, password: string) =>
    requireText((await anonymous.must('POST', '/session', { email, password })).token);
  const operator = client(await logIn(config.OPERATOR_EMAIL, config.OPERATOR_PASSWORD));
  const planID = requireText((await operator.must('POST', '/plans', planBody('Standard'))).id);
  // One hash serves all accounts, because tests add hundreds of them.
  const passwordHash = hashCheaply(PASSWORD);
  const addCompany = async () =>
    requireText((await operator.must('POST', '/companies', { name: 'Acme', planId: planID })).id);

  return {
    url: service.url,
    config,
    store,
    fakeExecution: execution.fake,
    fakeSchedule: schedule.fake,
    fakeWebhook: webhook.fake,
    fakeEvents: webhook.fakeEvents,
    anonymous,
    operator,
    planID,
    addCompany,
    client,
    logIn,
    async addPerson({ companyID, role = 'member', name = 'Ana' } = {}) {
      const ofCompany = companyID ?? uuid();
      if (!companyID) await insertCompany(store, ofCompany, planID);
      const account = { id: uuid(), companyID: ofCompany, email: `${randomUUID()}@example.com`, name, role };
      const token = await insertAccount(store, { ...account, passwordHash: await passwordHash });
      return { ...account, ...client(token), password: PASSWORD, token };
    },
    async close() {
      await service.close();
      await store.close();
      await execution.app.close();
      await schedule.app.close();
      await webhook.app.close();
      await own?.nats.stop();
      await ('drop' in database ? database.drop() : database.stop());
    },
  };
}

/** The body of a request that adds a plan. */
export function planBody(name: string): Record<string, unknown> {
  return {
    name,
    apiAccess: true,
    scheduling: true,
    monthlyCredits: 100,
    logRetentionDays: 30,
    requestsPerMinute: 600,
    auditDays: null,
    ledgerDays: null,
  };
}

/** A value of a response as a text; throws when it is none. */
export function requireText(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`expected a text, got ${JSON.stringify(value)}`);
  return value;
}

/** A value of a response as an object; throws when it is none. */
export function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`expected an object, got ${JSON.stringify(value)}`);
  }
  return Object.fromEntries(Object.entries(value));
}

/** The list in the field `name` of an answer, as records; throws when there is none. */
export function listOf(body: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const list = body[name];
  if (!Array.isArray(list)) throw new Error(`expected a list, got ${JSON.stringify(list)}`);
  return list.map(asRecord);
}

function clientOf(base: string, token?: string): ConsoleCaller {
  const call: ConsoleCaller['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = asRecord(await response.json());
    const { status, headers: sent } = response;
    const headerNames = [...sent.keys()];
    requireDescribed({ method, path: `${new URL(base).pathname}${path}`, status, headerNames, body: answer });
    return { status, headers: sent, body: answer };
  };
  return {
    call,
    async must(method, path, body) {
      const answer = await call(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async refusal(method, path, body) {
      const answer = await call(method, path, body);
      const { code, message } = asRecord(answer.body.error);
      return { error: `${answer.status} ${requireText(code)}`, message: requireText(message) };
    },
  };
}
