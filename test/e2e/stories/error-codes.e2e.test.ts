import { ERROR_CODES, type ErrorCode } from '@batuta/errors';
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import { documentedMetrics } from '../../support/operations-document';
import * as s from '../../support/shape';
import { call, type HttpAnswer } from '../support/tenants/api';
import { makeEnvironment, makeProcessKey, makeOwner, makeProcess } from '../support/tenants/factories';
import { instanceOf } from '../support/tenants/instances';
import { RefusedCalls } from '../support/contract/refused-calls';
import { draftMapping, makeOrigin, rotateURL } from '../support/webhooks/webhooks';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';

// Every error code that a third party can get, provoked over HTTP with real services.

type Provocation = { message: RegExp; by: () => Promise<HttpAnswer> };
/** Error codes that no caller of the API can provoke, with the reason. */
type Unprovoked = {
  not:
    | 'of the management API'
    | 'needs more schedules than a test can create'
    | 'a status in the body of a webhook’s answer, and no envelope'
    | 'an unexpected fault, which no request can cause';
};

let stack: Stack;
let calls: RefusedCalls;

beforeAll(async () => {
  stack = await startStack();
  const matrix = [{ name: 'total', type: 'Moeda' }];
  calls = new RefusedCalls(stack, ...(await Promise.all([makeProcess(stack, { matrix }), makeOwner(stack)])));
});

afterAll(() => stack?.stop());

const PROVOCATIONS: Record<ErrorCode, Provocation | Unprovoked> = {
  BAD_REQUEST: { message: /^limit:/, by: () => calls.getOfProcess('/executions?limit=501') },
  INVALID_PROCESS_ID: {
    message: /^processID:/,
    by: () => calls.stranger.api('GET', '/processes/orders', { processKey: calls.process.processKey }),
  },
  INVALID_MATRIX: { message: /^total:/, by: () => calls.process.start({ matrix: { total: 'abc' } }) },
  INVALID_ACTION: {
    message: /^action:/,
    by: () => calls.process.owner.api('POST', `/instances/${randomUUID()}/restart`),
  },
  INVALID_NAME: { message: /^name:/, by: () => calls.createSchedule({ name: ' ' }) },
  INVALID_CRON: { message: /^cronExpression:/, by: () => calls.createSchedule({ cronExpression: '0 0 31 2 *' }) },
  SCHEDULE_NOT_FOUND: {
    message: /^id:/,
    by: () => calls.stranger.api('PATCH', `/schedules/${randomUUID()}`, { body: { active: true } }),
  },
  INVALID_ENVIRONMENT: { message: /./, by: () => calls.process.start({ environmentID: randomUUID() }) },
  MISSING_CREDENTIAL: { message: /^Authorization:/, by: () => call('GET', `${calls.stack.gateway}/v1/me`) },
  INVALID_CREDENTIAL: {
    message: /^Authorization:/,
    by: () => calls.getMe(calls.process.owner.credential.slice(0, -4) + 'aaaa'),
  },
  CREDENTIAL_REVOKED: { message: /^Authorization:/, by: () => calls.callWithRevokedCredential() },
  CREDENTIAL_EXPIRED: { message: /^Authorization:/, by: () => calls.callWithExpiredCredential() },
  MISSING_PROCESS_KEY: { message: /^X-Process-Key:/, by: () => calls.startWithKey(undefined) },
  INVALID_PROCESS_KEY: {
    message: /^X-Process-Key:/,
    by: async () => calls.startWithKey((await makeProcess(calls.stack, { owner: calls.process.owner })).processKey),
  },
  PROCESS_KEY_REVOKED: { message: /^X-Process-Key:/, by: () => calls.startWithRevokedKey() },
  PROCESS_KEY_EXPIRED: { message: /^X-Process-Key:/, by: () => calls.startWithExpiredKey() },
  PLAN_FEATURE_UNAVAILABLE: {
    message: /API access/,
    by: async () => (await calls.makeOwnerOnPlan({ apiAccess: false })).api('GET', '/me'),
  },
  INSUFFICIENT_CREDITS: {
    message: /credits/,
    by: async () =>
      (await makeProcess(calls.stack, { owner: await calls.makeOwnerOnPlan({ monthlyCredits: 0 }) })).start(),
  },
  FORBIDDEN: {
    message: /shared/,
    by: () =>
      calls.stranger.api('GET', `/processes/${calls.process.processID}`, { processKey: calls.process.processKey }),
  },
  API_DISABLED: { message: /BLOQUEADO/, by: () => calls.startWithApiDisabled() },
  OWNER_INACTIVE: { message: /owner/, by: () => calls.startOfBlockedOwner() },
  PROCESS_NOT_FOUND: {
    message: /^processID:/,
    by: () => calls.stranger.api('GET', `/processes/${randomUUID()}`, { processKey: calls.process.processKey }),
  },
  INSTANCE_NOT_FOUND: {
    message: /^instanceID:/,
    by: async () => calls.stranger.api('GET', `/instances/${instanceOf(await calls.process.start())}`),
  },
  NOT_FOUND: { message: /path/, by: () => calls.process.owner.api('GET', '/nothing') },
  INSTANCE_FINISHED: {
    message: /stopped/,
    by: async () => {
      const stop = `/instances/${instanceOf(await calls.process.start())}/stop`;
      expect(await calls.process.owner.api('POST', stop)).toMatchObject({
        status: 200,
        body: { ok: true, action: 'stop' },
      });
      return calls.process.owner.api('POST', stop);
    },
  },
  INSTANCE_UNRESOLVED: {
    message: /queued/,
    by: async () => calls.process.owner.api('POST', `/instances/${instanceOf(await calls.process.start())}/pause`),
  },
  PROCESS_NOT_PUBLISHED: {
    message: /published/,
    by: async () => (await makeProcess(calls.stack, { owner: calls.process.owner, flow: null })).start(),
  },
  PAYLOAD_TOO_LARGE: {
    message: /^body:/,
    by: () => calls.process.start({ matrix: { total: 'x'.repeat(1_048_576) } }),
  },
  UNSUPPORTED_CHARSET: {
    message: /^Content-Type:/,
    by: () => calls.process.start({}, { 'content-type': 'application/json; charset=ISO-8859-1' }),
  },
  RATE_LIMITED: {
    message: /requests in a minute/,
    by: async () => {
      const owner = await calls.makeOwnerOnPlan({ requestsPerMinute: 1 });
      return until(
        () => owner.api('GET', '/me'),
        ({ status }) => status !== 200,
      );
    },
  },
  ROUTER_ERROR: { message: /queued/, by: () => calls.callWithoutNats(() => calls.process.start()) },
  AGENT_OFFLINE: {
    message: /"Far away"/,
    by: async () => {
      const environment = await makeEnvironment(calls.stack, {
        owner: calls.process.owner,
        name: 'Far away',
        offlineFlow: false,
      });
      return (await makeProcess(calls.stack, { environment })).start();
    },
  },
  UNAVAILABLE: {
    message: /./,
    by: async () => {
      const path = `/instances/${instanceOf(await calls.process.start())}`;
      return calls.callWithoutNats(() => calls.process.owner.api('GET', path, { once: true }));
    },
  },

  WEBHOOK_TOKEN_REVOKED: {
    message: /rotated/,
    by: async () => {
      const origin = await makeOrigin(calls.process);
      await rotateURL(origin, 'prod');
      return call('POST', origin.prodUrl);
    },
  },
  WEBHOOK_DISABLED: {
    message: /switched off/,
    by: async () => call('POST', (await makeOrigin(calls.process, { enabled: false })).prodUrl),
  },
  WEBHOOK_SIGNATURE_INVALID: {
    message: /^X-Signature:/,
    by: async () => {
      const signature = { header: 'X-Signature', secret: 'of both', toleranceSeconds: null };
      return call('POST', (await makeOrigin(calls.process, { signature })).prodUrl, { body: {} });
    },
  },
  MAPPING_UNSAVED: {
    message: /"Shop"/,
    by: async () => {
      const drafted = await makeProcess(calls.stack, {
        owner: calls.process.owner,
        matrix: [{ name: 'total', type: 'Moeda' }],
      });
      await draftMapping(await makeOrigin(drafted, { name: 'Shop' }), { total: '/total' });
      return calls.process.owner.tryToManage('POST', `/processes/${drafted.processID}/publish`);
    },
  },
  INVALID_RESPONSE: { not: 'a status in the body of a webhook’s answer, and no envelope' },
  CONFLICT: { not: 'of the management API' },
  PRECONDITION_FAILED: { not: 'of the management API' },
  QUOTA_EXCEEDED: { not: 'needs more schedules than a test can create' },
  INTERNAL: { not: 'an unexpected fault, which no request can cause' },
};

const provocations = Object.entries(PROVOCATIONS).flatMap(([code, row]) => ('by' in row ? [[code, row] as const] : []));

test('every error code is provoked here or listed with the reason why it cannot be', () => {
  expect(Object.keys(PROVOCATIONS).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
});

test.each(provocations)('the code %s reaches the caller', async (code, { message, by }) => {
  const { status, body, headers } = await by();
  expect([status, body]).toEqual([statusOf(code), { error: { code, message: expect.stringMatching(message) } }]);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
});

function statusOf(code: string): number | undefined {
  return Object.entries(ERROR_CODES).find(([known]) => known === code)?.[1].status;
}

describe('environments', () => {
  test('INVALID_ENVIRONMENT carries the id of a registered environment that its owner can no longer reach', async () => {
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

  test('INVALID_ENVIRONMENT carries the id of a registered environment that was deleted', async () => {
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
  const owner = await calls.makeOwnerOnPlan({ apiAccess: false });
  for (const path of ['/me', '/environments', '/processes', `/instances/${randomUUID()}`]) {
    expect([path, (await owner.api('GET', path)).status]).toEqual([path, 402]);
  }
  expect((await owner.api('GET', '/ping')).status).toBe(200);
});

test('a process key does not replace the missing permission of a share', async () => {
  const shared = await makeProcess(stack);
  const share = `/processes/${shared.processID}/shares/${calls.stranger.email}`;
  const key = await makeProcessKey(shared.owner, shared.processID);
  const start = () => calls.stranger.api('POST', `/processes/${shared.processID}/start`, { processKey: key });
  await shared.owner.manage('PUT', share, { schedule: true });
  expect(await start()).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  await shared.owner.manage('PUT', share, { execute: true });
  expect((await start()).status).toBe(202);
});

test('a console token is not accepted by the public API, and a credential is not accepted by the console', async () => {
  const { email, password, credential } = calls.process.owner;
  const login = await call('POST', `${stack.console}/manage/v1/session`, { body: { email, password } });
  const { token } = s.object({ token: s.text() }).parse(login.body);
  expect(await calls.getMe(token)).toMatchObject({ status: 401, body: { error: { code: 'INVALID_CREDENTIAL' } } });
  const manage = await call('GET', `${stack.console}/manage/v1/me`, { bearer: credential });
  expect(manage.status).toBe(401);
});

describe('metrics', () => {
  const WORD = /^[a-zA-Z][\w \-.']{0,40}$/;
  /** By name of a label, whether a value is allowed; any other label must have a word as its value. */
  const LABEL_VALUES: Record<string, (value: string) => boolean> = {
    code: (value) => Object.hasOwn(ERROR_CODES, value),
    method: (value) => METHODS.includes(value),
    status: (value) => /^([1-5]\d\d|aborted)$/.test(value),
    route: (value) => /^(none|unknown|page|\/[\w/:.{}*-]*)$/.test(value),
    le: (value) => value === '+Inf' || Number.isFinite(Number(value)),
    quantile: (value) => Number.isFinite(Number(value)),
  };
  const ID = /[0-9a-f]{8}-|@|[A-Za-z0-9_-]{30}/;

  test.each(['gateway', 'console', 'execution', 'router', 'schedule', 'webhook'] as const)(
    'the metrics of %s are documented after all these calls, with their labels, and no label holds what a caller may choose',
    async (service) => {
      const text = await (await fetch(`${stack[service]}/metrics`)).text();
      const documented = await documentedMetrics();
      const labelsOf = new Map(documented.map(({ name, labels }) => [name, labels]));
      for (const [, series = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
        if (/^(nodejs|process)_/.test(series)) continue;
        const name = labelsOf.has(series) ? series : series.replace(/_(bucket|sum|count)$/, '');
        expect([name, labelsOf.has(name)]).toEqual([name, true]);
        for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
          const isKnown = ['service', 'le', 'quantile', ...(labelsOf.get(name) ?? [])].includes(label);
          const isBounded = !ID.test(value) && (LABEL_VALUES[label]?.(value) ?? WORD.test(value));
          expect([series, label, value, isKnown, isBounded]).toEqual([series, label, value, true, true]);
        }
      }
      const documentedHere = documented.filter((metric) => metric.service === service || metric.service === 'each');
      for (const { name } of documentedHere) expect(text).toMatch(new RegExp(`^# TYPE ${name} `, 'm'));
    },
  );
});
