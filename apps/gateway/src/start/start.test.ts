import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { JsonThread, RawJson } from '@batuta/json';
import { v7 as uuid } from 'uuid';
import { executionReplies, receivedRequests } from '../../test/fake-execution';
import { waitUntil } from '../../../../test/support/wait-until';
import { fingerprintOf } from './fingerprint';
import {
  callGateway,
  createTenant,
  refusalBody,
  resetFakes,
  startWorld,
  type TestTenant,
  type GatewayWorld,
} from '../../test/world';

let world: GatewayWorld;
let tenant: TestTenant;
/** The database's clock; only tests move it. */
let now = Date.now();
/** How far the clock of the gateway's machine is ahead of the database's clock in this test. */
const CLOCK_AHEAD_MS = 60_000;

let databaseClock: jest.SpiedFunction<DatabaseClock['now']>;

beforeAll(async () => {
  databaseClock = jest.spyOn(DatabaseClock.prototype, 'now').mockImplementation(() => now);
  world = await startWorld({ START_TIMEOUT_MS: '5000' }, () => now + CLOCK_AHEAD_MS);
  tenant = await createTenant(world.registry);
});

afterAll(async () => {
  databaseClock.mockRestore();
  await world?.close();
});

beforeEach(resetFakes);

const start = (body?: string | object, headers: Record<string, string> = {}) =>
  callGateway(world.gateway.url, 'post', `/v1/processes/${tenant.processID}/start`, {
    credential: tenant.credential.value,
    key: tenant.key,
    headers,
    body,
  });
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

test('a start is sent to execution with the caller and the Identifier of the key, and answers 200 started', async () => {
  const environmentID = uuid();
  const matrix = { total: '1.234,56', token: 's3cret', items: [{ a: null }] };
  const response = await start({ matrix, environmentID, later: 'unknown fields are ignored' });
  const { accountID } = tenant.account;
  expect(receivedRequests).toEqual([
    {
      subject: 'start',
      request: {
        instanceID: expect.stringMatching(UUID7),
        deadline: now + 5_000,
        processID: tenant.processID,
        trigger: { kind: 'api', accountID, userName: 'ERP', executor: 'erp-key' },
        matrix,
        environmentID,
      },
    },
  ]);
  const { instanceID } = Object(receivedRequests[0]?.request);
  expect([response.status, response.body]).toEqual([200, { instanceID, status: 'started' }]);
});

test('a body of many small objects is sent unchanged, also with an Idempotency-Key and as a dry run', async () => {
  // This test has a tenant of its own, because its many objects use up much of the bytes per second of one tenant.
  const { processID, credential, key } = await createTenant(world.registry);
  const list = Array.from({ length: 24_000 }, () => ({}));
  const matrix = { list, note: { 'ação "': [1.5, null] }, text: 'é' };
  const read = jest.spyOn(JsonThread.prototype, 'readFields');
  const send = (query: string) =>
    callGateway(world.gateway.url, 'post', `/v1/processes/${processID}/start${query}`, {
      credential: credential.value,
      key,
      headers: { 'Idempotency-Key': 'dense' },
      body: { matrix },
    });
  const { status } = await send('');
  expect(read).toHaveBeenCalledTimes(1);
  const { matrix: received, idempotency } = Object(receivedRequests[0]?.request);
  expect([status, received]).toEqual([200, matrix]);
  const thread = new JsonThread();
  expect(idempotency.body).toBe(await fingerprintOf({ matrix }, thread));
  await thread.close();
  executionReplies.dryRun = async () => ({ refusals: [], matrix: { list: new RawJson(JSON.stringify(list)) } });
  const { body, headers } = await send('?dryRun=true');
  expect(body).toEqual({ refusals: [], matrix: { list } });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test('another spelling of a field is refused in a body of many small objects too', async () => {
  const { processID, credential, key } = await createTenant(world.registry);
  const { body } = await callGateway(world.gateway.url, 'post', `/v1/processes/${processID}/start`, {
    credential: credential.value,
    key,
    body: { Matrix: { list: Array.from({ length: 24_000 }, () => ({})) } },
  });
  expect(body).toEqual(refusalBody('BAD_REQUEST', /^Matrix: .* is matrix$/));
  expect(receivedRequests).toEqual([]);
});

test.each([
  ['no body', undefined],
  ['an empty object', {}],
])('a start with %s sends no values and no environment', async (_, body) => {
  expect((await start(body)).status).toBe(200);
  expect(Object.keys(Object(receivedRequests[0]?.request)).toSorted()).toEqual([
    'deadline',
    'instanceID',
    'processID',
    'trigger',
  ]);
});

test('a queued start answers 202', async () => {
  executionReplies.start = async ({ instanceID }) => ({ instanceID, status: 'queued' });
  const response = await start({});
  expect([response.status, response.body]).toEqual([202, { instanceID: expect.any(String), status: 'queued' }]);
});

test('a dry run starts nothing', async () => {
  const path = `/v1/processes/${tenant.processID}/start?dryRun=`;
  const asks = (value: string) =>
    callGateway(world.gateway.url, 'post', path + value, {
      credential: tenant.credential.value,
      key: tenant.key,
      body: {},
    });
  executionReplies.dryRun = async () => ({ refusals: [{ code: 'AGENT_OFFLINE', message: 'm' }] });
  const response = await asks('true');
  expect([response.status, response.body]).toEqual([200, { refusals: [{ code: 'AGENT_OFFLINE', message: 'm' }] }]);
  expect(receivedRequests.map(({ subject }) => subject)).toEqual(['dryRun']);
  expect((await asks('yes')).body).toEqual(refusalBody('BAD_REQUEST', /dryRun/));
  expect((await asks('false')).body).toMatchObject({ status: 'started' });
});

test.each(['dryrun', 'DryRun', 'dry_run', 'dry-run', 'dryRun[]', 'dryRun[a]', 'dryRun%5Ba%5D', 'params[dryRun]'])(
  'a start whose query names %s is refused and starts nothing',
  async (name) => {
    const path = `/v1/processes/${tenant.processID}/start?${name}=true`;
    const options = { credential: tenant.credential.value, key: tenant.key, body: {} };
    const response = await callGateway(world.gateway.url, 'post', path, options);
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', /: .*dryRun$/)]);
    expect(receivedRequests).toEqual([]);
  },
);

describe('idempotency keys', () => {
  test.each([
    ['started', 200],
    ['queued', 202],
  ] as const)('the replay of a start that was %s says so, with the first status', async (status, code) => {
    executionReplies.start = async () => ({ instanceID: 'first', status, replayed: true });
    const response = await start({}, { 'Idempotency-Key': 'k' });
    expect([response.status, response.body]).toEqual([code, { instanceID: 'first', status, replayed: true }]);
    expect(response.headers['idempotency-mismatch']).toBeUndefined();
  });

  test('an Idempotency-Key is replayed with a warning header for another body', async () => {
    executionReplies.start = async () => ({ instanceID: 'first', status: 'started', replayed: true, mismatch: true });
    const response = await start({}, { 'Idempotency-Key': 'k' });
    expect(response.headers['idempotency-mismatch']).toBe('true');
    expect(response.body).toEqual({ instanceID: 'first', status: 'started', replayed: true });
  });

  test('an Idempotency-Key has the account and the process as its scope, and its record holds no value of the body', async () => {
    await start({ matrix: { token: 's3cret' } }, { 'Idempotency-Key': ' order 17 of shop ' });
    const { idempotency } = Object(receivedRequests[0]?.request);
    expect(idempotency).toEqual({
      scope: `start:${tenant.account.accountID}:${tenant.processID}`,
      key: 'order 17 of shop',
      body: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test.each([['x'.repeat(256)], [''], ['   '], ['a\tb'], ['ação']])(
    'the Idempotency-Key %j is refused',
    async (key) => {
      const response = await start({}, { 'Idempotency-Key': Buffer.from(key).toString('latin1') });
      expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', /^Idempotency-Key:/)]);
      expect(receivedRequests).toEqual([]);
    },
  );

  test('an Idempotency-Key that is sent twice is refused, because both values together would be another key', async () => {
    const response = await start({}).set({ 'idempotency-key': ['order-17', 'order-17'] });
    const message = /^Idempotency-Key: is sent more than once$/;
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', message)]);
    expect(receivedRequests).toEqual([]);
  });

  test.each([['a'], ['~'.repeat(255)], [`a${' '.repeat(253)}b`]])(
    'the Idempotency-Key %j of 1 to 255 printable characters is accepted',
    async (key) => {
      expect((await start({}, { 'Idempotency-Key': key })).status).toBe(200);
      expect(Object(receivedRequests[0]?.request).idempotency.key).toBe(key);
    },
  );
});

describe('refused bodies', () => {
  test.each<[string, string | object, string, RegExp]>([
    ['a list as matrix', { matrix: [] }, 'INVALID_MATRIX', /^matrix:/],
    ['text as matrix', { matrix: 'x' }, 'INVALID_MATRIX', /^matrix:/],
    ['null as matrix', { matrix: null }, 'INVALID_MATRIX', /^matrix:/],
    ['a number as environmentID', { environmentID: 5 }, 'INVALID_ENVIRONMENT', /^environmentID:/],
    ['text that is no UUID as environmentID', { environmentID: 'office' }, 'INVALID_ENVIRONMENT', /^environmentID:/],
    ['null as environmentID', { environmentID: null }, 'INVALID_ENVIRONMENT', /^environmentID:/],
    [
      'a value of deep nesting',
      `{"matrix":{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
      'INVALID_MATRIX',
      /^deep:/,
    ],
    ['a number that no double holds', '{"matrix":{"a":1,"total":1e400}}', 'INVALID_MATRIX', /^total: has a number/],
    ['such a number in an object', '{"matrix":{"order":{"a":[{"b":-1e999}]}}}', 'INVALID_MATRIX', /^order: has a num/],
    ['a number that would become 0', '{"matrix":{"rate":[1e-400]}}', 'INVALID_MATRIX', /^rate: has a number/],
    ['such a number as environmentID', '{"environmentID":1e400}', 'INVALID_ENVIRONMENT', /^environmentID:/],
    [
      'another spelling of environmentID',
      { environmentId: uuid() },
      'BAD_REQUEST',
      /^environmentId: .* is environmentID$/,
    ],
    ['dryRun, which is a query parameter', { dryRun: true }, 'BAD_REQUEST', /^dryRun: .*\?dryRun=true/],
    ['a list', [], 'BAD_REQUEST', /^body:/],
    ['text', '"x"', 'BAD_REQUEST', /^body:/],
    ['null', 'null', 'BAD_REQUEST', /^body:/],
    ['no JSON', '{"matrix":', 'BAD_REQUEST', /^body:/],
  ])('a start whose body is wrong is refused: %s', async (_, body, code, message) => {
    const response = await start(body);
    expect([response.status, response.body]).toEqual([400, refusalBody(code, message)]);
    expect(receivedRequests).toEqual([]);
  });
});

test.each([
  ['dryRun', 'yes', 'a b', /^dryRun:/],
  ['the Idempotency-Key', 'false', 'é', /^Idempotency-Key:/],
  ['the Idempotency-Key of a dry run', 'true', 'é', /^Idempotency-Key:/],
  ['the body', 'false', 'good', /^matrix:/],
])('%s is refused first when several parts of a start are malformed', async (_, dryRun, key, message) => {
  const path = `/v1/processes/${tenant.processID}/start?dryRun=${dryRun}`;
  const { body } = await callGateway(world.gateway.url, 'post', path, {
    credential: tenant.credential.value,
    key: tenant.key,
    headers: { 'Idempotency-Key': key },
    body: { matrix: 1 },
  });
  expect(body).toEqual({ error: { code: expect.any(String), message: expect.stringMatching(message) } });
});

test.each(['PROCESS_NOT_PUBLISHED', 'INSUFFICIENT_CREDITS', 'OWNER_INACTIVE', 'AGENT_OFFLINE'] as const)(
  '%s of execution is returned unchanged',
  async (code) => {
    executionReplies.start = async () => {
      throw new ApiError(code, 'total: why');
    };
    const response = await start({});
    expect([response.status, response.body]).toEqual([new ApiError(code).status, refusalBody(code, /^total: why$/)]);
  },
);

test('an unexpected fault is INTERNAL with the request id and no detail', async () => {
  executionReplies.start = async () => {
    throw new Error('Duplicate entry s3cret');
  };
  const response = await start({}, { 'X-Request-Id': 'req-1' });
  expect([response.status, response.body]).toEqual([500, refusalBody('INTERNAL', /req-1/)]);
  expect(response.text).not.toContain('s3cret');
});

test('large starts of a company are in progress one after the other, and its small ones do not wait for them', async () => {
  const answered: (() => void)[] = [];
  executionReplies.start = async ({ instanceID, matrix }) => {
    if (matrix) await new Promise<void>((resolve) => answered.push(resolve));
    return { instanceID, status: 'started' };
  };
  // Each body has 1 MB, which parses to 17 of the 32 megabytes that a company may use.
  const matrix = { list: Array.from({ length: 182_000 }, () => ({})), text: 'x'.repeat(480_000) };
  const large = Promise.all([start({ matrix }), start({ matrix })]);
  await waitUntil('the first is in progress', () => answered.length === 1);
  expect((await start({})).status).toBe(200);
  expect(answered).toHaveLength(1);
  answered[0]?.();
  await waitUntil('the second is in progress', () => answered.length === 2);
  answered[1]?.();
  expect((await large).map(({ status }) => status)).toEqual([200, 200]);
});
