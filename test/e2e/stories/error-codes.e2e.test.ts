import { ERROR_CODES, type ErrorCode } from '@batuta/errors';
import { randomUUID } from 'node:crypto';
import * as s from '../../support/shape';
import { call, type Answer } from '../support/api';
import {
  makeCompany,
  makeEnvironment,
  makeKey,
  makeOwner,
  makeProcess,
  type Owner,
  type Process,
} from '../support/factories';
import { instanceOf } from '../support/instances';
import { draftMapping, makeOrigin, rotate } from '../support/webhooks';
import { startStack } from '../support/in-process-stack';
import type { Stack } from '../support/stack';
import { until } from '../support/until';

// Every error code that a third party can get, provoked over HTTP with real services.

type Provocation = { message: RegExp; by: () => Promise<Answer> };
/** Error codes that no caller of the API can provoke, with the reason. */
type Unprovoked = {
  not:
    | 'of the management API'
    | 'needs more schedules than a test can create'
    | 'a status in the body of a webhook’s answer, and no envelope'
    | 'an unexpected fault, which no request can cause';
};

const withID = s.object({ id: s.text(), value: s.text() });
const accountList = s.object({ accounts: s.list(s.object({ id: s.text(), email: s.text() })) });

let stack: Stack;
/** A process with one variable, `total`, in an offline environment that queues starts. */
let process: Process;
let stranger: Owner;

beforeAll(async () => {
  stack = await startStack();
  const matrix = [{ name: 'total', type: 'Moeda' }];
  [process, stranger] = await Promise.all([makeProcess(stack, { matrix }), makeOwner(stack)]);
});

afterAll(() => stack?.stop());

const PROVOCATIONS: Record<ErrorCode, Provocation | Unprovoked> = {
  BAD_REQUEST: { message: /^limit:/, by: () => read('/executions?limit=501') },
  INVALID_PROCESS_ID: {
    message: /^processID:/,
    by: () => stranger.api('GET', '/processes/orders', { processKey: process.processKey }),
  },
  INVALID_MATRIX: { message: /^total:/, by: () => process.start({ matrix: { total: 'abc' } }) },
  INVALID_ACTION: {
    message: /^action:/,
    by: () => process.owner.api('POST', `/instances/${randomUUID()}/restart`),
  },
  INVALID_NAME: { message: /^name:/, by: () => schedule({ name: ' ' }) },
  INVALID_CRON: { message: /^cronExpression:/, by: () => schedule({ cronExpression: '0 0 31 2 *' }) },
  SCHEDULE_NOT_FOUND: {
    message: /^id:/,
    by: () => stranger.api('PATCH', `/schedules/${randomUUID()}`, { body: { active: true } }),
  },
  INVALID_ENVIRONMENT: { message: /./, by: () => startAt(process, randomUUID()) },
  MISSING_CREDENTIAL: { message: /^Authorization:/, by: () => call('GET', `${stack.gateway}/v1/me`) },
  INVALID_CREDENTIAL: { message: /^Authorization:/, by: () => me(process.owner.credential.slice(0, -4) + 'aaaa') },
  CREDENTIAL_REVOKED: { message: /^Authorization:/, by: revokedCredential },
  CREDENTIAL_EXPIRED: { message: /^Authorization:/, by: expiredCredential },
  MISSING_PROCESS_KEY: { message: /^X-Process-Key:/, by: () => startWithKey(undefined) },
  INVALID_PROCESS_KEY: {
    message: /^X-Process-Key:/,
    by: async () => startWithKey((await makeProcess(stack, { owner: process.owner })).processKey),
  },
  PROCESS_KEY_REVOKED: { message: /^X-Process-Key:/, by: revokedKey },
  PROCESS_KEY_EXPIRED: { message: /^X-Process-Key:/, by: expiredKey },
  PLAN_FEATURE_UNAVAILABLE: {
    message: /API access/,
    by: async () => (await ownerOnPlan({ apiAccess: false })).api('GET', '/me'),
  },
  INSUFFICIENT_CREDITS: {
    message: /credits/,
    by: async () => (await makeProcess(stack, { owner: await ownerOnPlan({ monthlyCredits: 0 }) })).start(),
  },
  FORBIDDEN: {
    message: /shared/,
    by: () => stranger.api('GET', `/processes/${process.processID}`, { processKey: process.processKey }),
  },
  API_DISABLED: { message: /BLOQUEADO/, by: apiDisabled },
  OWNER_INACTIVE: { message: /owner/, by: blockedOwner },
  PROCESS_NOT_FOUND: {
    message: /^processID:/,
    by: () => stranger.api('GET', `/processes/${randomUUID()}`, { processKey: process.processKey }),
  },
  INSTANCE_NOT_FOUND: {
    message: /./,
    by: async () => stranger.api('GET', `/instances/${instanceOf(await process.start())}`),
  },
  NOT_FOUND: { message: /path/, by: () => process.owner.api('GET', '/nothing') },
  INSTANCE_FINISHED: {
    message: /stopped/,
    by: async () => {
      const stop = `/instances/${instanceOf(await process.start())}/stop`;
      expect(await process.owner.api('POST', stop)).toMatchObject({ status: 200, body: { ok: true, action: 'stop' } });
      return process.owner.api('POST', stop);
    },
  },
  INSTANCE_UNRESOLVED: {
    message: /queued/,
    by: async () => process.owner.api('POST', `/instances/${instanceOf(await process.start())}/pause`),
  },
  PROCESS_NOT_PUBLISHED: {
    message: /published/,
    by: async () => (await makeProcess(stack, { owner: process.owner, flow: null })).start(),
  },
  PAYLOAD_TOO_LARGE: { message: /^body:/, by: () => process.start({ matrix: { total: 'x'.repeat(1_048_576) } }) },
  UNSUPPORTED_CHARSET: {
    message: /^Content-Type:/,
    by: () => process.start({}, { 'content-type': 'application/json; charset=ISO-8859-1' }),
  },
  RATE_LIMITED: {
    message: /requests in a minute/,
    by: async () => {
      const owner = await ownerOnPlan({ requestsPerMinute: 1 });
      return until(
        () => owner.api('GET', '/me'),
        ({ status }) => status !== 200,
      );
    },
  },
  ROUTER_ERROR: { message: /queued/, by: () => withoutNats(() => process.start()) },
  AGENT_OFFLINE: {
    message: /"Far away"/,
    by: async () => {
      const environment = await makeEnvironment(stack, { owner: process.owner, name: 'Far away', offlineFlow: false });
      return (await makeProcess(stack, { environment })).start();
    },
  },
  UNAVAILABLE: {
    message: /./,
    by: async () => {
      const path = `/instances/${instanceOf(await process.start())}`;
      return withoutNats(() => process.owner.api('GET', path, { once: true }));
    },
  },

  WEBHOOK_TOKEN_REVOKED: {
    message: /rotated/,
    by: async () => {
      const origin = await makeOrigin(process);
      await rotate(origin, 'prod');
      return call('POST', origin.prodUrl);
    },
  },
  WEBHOOK_DISABLED: {
    message: /switched off/,
    by: async () => call('POST', (await makeOrigin(process, { enabled: false })).prodUrl),
  },
  WEBHOOK_SIGNATURE_INVALID: {
    message: /^X-Signature:/,
    by: async () => {
      const signature = { header: 'X-Signature', secret: 'of both', toleranceSeconds: null };
      return call('POST', (await makeOrigin(process, { signature })).prodUrl, { body: {} });
    },
  },
  MAPPING_UNSAVED: {
    message: /"Shop"/,
    by: async () => {
      const drafted = await makeProcess(stack, { owner: process.owner, matrix: [{ name: 'total', type: 'Moeda' }] });
      await draftMapping(await makeOrigin(drafted, { name: 'Shop' }), { total: '/total' });
      return process.owner.tryToManage('POST', `/processes/${drafted.processID}/publish`);
    },
  },
  INVALID_RESPONSE: { not: 'a status in the body of a webhook’s answer, and no envelope' },
  CONFLICT: { not: 'of the management API' },
  QUOTA_EXCEEDED: { not: 'needs more schedules than a test can create' },
  INTERNAL: { not: 'an unexpected fault, which no request can cause' },
};

const provocations = Object.entries(PROVOCATIONS).flatMap(([code, row]) => ('by' in row ? [[code, row] as const] : []));

test('every error code is provoked here or listed with the reason why it cannot be', () => {
  expect(Object.keys(PROVOCATIONS).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
});

test.each(provocations)('%s reaches the caller', async (code, { message, by }) => {
  const { status, body, headers } = await by();
  expect([status, body]).toEqual([statusOf(code), { error: { code, message: expect.stringMatching(message) } }]);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
});

function statusOf(code: string): number | undefined {
  return Object.entries(ERROR_CODES).find(([known]) => known === code)?.[1].status;
}

function read(path: string): Promise<Answer> {
  return process.owner.api('GET', `/processes/${process.processID}${path}`, { processKey: process.processKey });
}

function schedule(change: object): Promise<Answer> {
  const { processID, processKey } = process;
  const body = { processID, name: 'Nightly', cronExpression: '0 3 * * *', ...change };
  return process.owner.api('POST', '/schedules', { processKey, body });
}

function me(bearer: string): Promise<Answer> {
  return call('GET', `${stack.gateway}/v1/me`, { bearer });
}

function startWithKey(processKey: string | undefined): Promise<Answer> {
  return process.owner.api('POST', `/processes/${process.processID}/start`, { processKey });
}

function startAt(at: Process, environmentID: string): Promise<Answer> {
  return at.start({ environmentID });
}

async function ownerOnPlan(plan: object): Promise<Owner> {
  return makeOwner(stack, { company: await makeCompany(stack, { plan }) });
}

async function revokedCredential(): Promise<Answer> {
  const { id, value } = withID.parse(await stranger.manage('POST', '/credentials', { label: 'to be revoked' }));
  expect((await me(value)).status).toBe(200);
  await stranger.manage('DELETE', `/credentials/${id}`);
  return me(value);
}

async function expiredCredential(): Promise<Answer> {
  const create = () => stranger.tryToManage('POST', '/credentials', { label: 'short', expiresAt: soon() });
  const { value } = withID.parse(await inTime(create));
  return until(
    () => me(value),
    ({ status }) => status !== 200,
  );
}

async function revokedKey(): Promise<Answer> {
  const { id, value } = withID.parse(await newKey({ identifier: 'to be revoked' }));
  expect((await startWithKey(value)).status).toBe(202);
  await process.owner.manage('DELETE', `/keys/${id}`);
  return startWithKey(value);
}

async function expiredKey(): Promise<Answer> {
  const path = `/processes/${process.processID}/keys`;
  const create = () =>
    process.owner.tryToManage('POST', path, { identifier: `short ${randomUUID()}`, expiresAt: soon() });
  const { value } = withID.parse(await inTime(create));
  return until(
    () => startWithKey(value),
    ({ status }) => status !== 202,
  );
}

function newKey(body: object): Promise<unknown> {
  return process.owner.manage('POST', `/processes/${process.processID}/keys`, body);
}

/** Repeats the creation of a short-lived credential or key that expires before a busy machine creates it; returns the body. */
async function inTime(create: () => Promise<Answer>): Promise<unknown> {
  return (await until(create, ({ status }) => status < 400)).body;
}

function soon(): string {
  return new Date(Date.now() + 2_000).toISOString();
}

async function apiDisabled(): Promise<Answer> {
  const blocked = await makeProcess(stack, { owner: process.owner });
  await blocked.owner.manage('PATCH', `/processes/${blocked.processID}`, { apiPermission: 'BLOQUEADO' });
  return blocked.start();
}

/** Calls by an account with a share, after the administrator has blocked the owner. */
async function blockedOwner(): Promise<Answer> {
  const administrator = await makeOwner(stack, { role: 'administrator' });
  const owner = await makeOwner(stack, { company: administrator.company });
  const { processID, processKey } = await makeProcess(stack, { owner });
  await owner.manage('PUT', `/processes/${processID}/shares/${stranger.email}`, { execute: true });
  const { accounts } = accountList.parse(await administrator.manage('GET', '/accounts'));
  const { id } = accounts.find(({ email }) => email === owner.email) ?? {};
  await administrator.manage('PATCH', `/accounts/${id}`, { blocked: true });
  return stranger.api('POST', `/processes/${processID}/start`, { processKey });
}

async function withoutNats(ask: () => Promise<Answer>): Promise<Answer> {
  await stack.nats.takeAway();
  try {
    return await ask();
  } finally {
    await stack.nats.bringBack();
    await until(
      () => call('GET', `${stack.gateway}/health/ready`),
      ({ status }) => status === 200,
    );
    // Each service renews its subscriptions.
    for (const look of [
      () => process.owner.tryToManage('GET', `/processes/${process.processID}/origins`),
      () => read('/executions'),
      () => process.owner.api('GET', '/schedules'),
    ]) {
      await until(look, ({ status }) => status === 200);
    }
  }
}

describe('INVALID_ENVIRONMENT', () => {
  test('carries the id of a registered environment that its owner can no longer reach', async () => {
    const administrator = await makeOwner(stack, { role: 'administrator' });
    const owner = await makeOwner(stack, { company: administrator.company });
    const environment = await makeEnvironment(stack, { owner: administrator });
    const path = `/environments/${environment.environmentID}`;
    await administrator.manage('PATCH', path, { shared: true });
    const shared = await makeProcess(stack, { owner, environment });
    expect((await shared.start()).status).toBe(202);
    const message = {
      error: { code: 'INVALID_ENVIRONMENT', message: expect.stringContaining(environment.environmentID) },
    };

    await administrator.manage('PATCH', path, { shared: false });
    expect(await shared.start()).toMatchObject({ status: 400, body: message });
  });

  test('carries the id of a registered environment that was deleted', async () => {
    const orphan = await makeProcess(stack);
    const { environmentID } = orphan.environment;
    await orphan.owner.manage('DELETE', `/environments/${environmentID}`);
    const message = {
      error: { code: 'INVALID_ENVIRONMENT', message: expect.stringContaining(environmentID) },
    };
    expect(await orphan.start()).toMatchObject({ status: 400, body: message });
  });
});

test('a plan without API access refuses every route except ping', async () => {
  const owner = await ownerOnPlan({ apiAccess: false });
  for (const path of ['/me', '/environments', '/processes', `/instances/${randomUUID()}`]) {
    expect([path, (await owner.api('GET', path)).status]).toEqual([path, 402]);
  }
  expect((await owner.api('GET', '/ping')).status).toBe(200);
});

test('a process key does not replace the missing permission of a share', async () => {
  const shared = await makeProcess(stack);
  const share = `/processes/${shared.processID}/shares/${stranger.email}`;
  const key = await makeKey(shared.owner, shared.processID);
  const start = () => stranger.api('POST', `/processes/${shared.processID}/start`, { processKey: key });
  await shared.owner.manage('PUT', share, { schedule: true });
  expect(await start()).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  await shared.owner.manage('PUT', share, { execute: true });
  expect((await start()).status).toBe(202);
});

test('a console token is not accepted by the public API, and a credential is not accepted by the console', async () => {
  const { email, password, credential } = process.owner;
  const login = await call('POST', `${stack.console}/manage/v1/session`, { body: { email, password } });
  const { token } = s.object({ token: s.text() }).parse(login.body);
  expect(await me(token)).toMatchObject({ status: 401, body: { error: { code: 'INVALID_CREDENTIAL' } } });
  const manage = await call('GET', `${stack.console}/manage/v1/me`, { bearer: credential });
  expect(manage.status).toBe(401);
});
