import { ApiError, type ErrorCode } from '@batuta/errors';
import type { Schedule } from '@batuta/contracts';
import { DatabaseClock } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { receivedRequests } from '../../test/fake-execution';
import { scheduleReplies } from '../../test/fake-schedule';
import {
  asTenant,
  callGateway,
  createTenant,
  refusalBody,
  resetFakes,
  startWorld,
  type GatewayCallOptions,
  type HttpMethod,
  type TestTenant,
  type GatewayWorld,
} from '../../test/world';

let world: GatewayWorld;
/** Milliseconds by which the database's clock is ahead of the clock of this machine. */
let ahead = 0;
let tenant: TestTenant;
let stranger: TestTenant;

let databaseClock: jest.SpiedFunction<DatabaseClock['now']>;

beforeAll(async () => {
  databaseClock = jest.spyOn(DatabaseClock.prototype, 'now').mockImplementation(() => Date.now() + ahead);
  world = await startWorld({});
  tenant = await createTenant(world.registry);
  stranger = await createTenant(world.registry);
});

afterAll(async () => {
  databaseClock.mockRestore();
  await world?.close();
});

beforeEach(resetFakes);

const SCHEDULES_PATH = '/v1/schedules';
const send = (method: HttpMethod, path: string, options?: GatewayCallOptions) =>
  callGateway(world.gateway.url, method, path, options);
const validBody = () => ({ processID: tenant.processID, name: 'Nightly', cronExpression: '0 3 * * *' });
const post = (body: string | object) => send('post', SCHEDULES_PATH, asTenant(tenant, { body }));
const throwsCode = (code: ErrorCode) => async (): Promise<never> => {
  throw new ApiError(code, 'field: why');
};
const keyIDOf = async (processID: string) =>
  (await world.store.row<{ id: string }>('SELECT key_id AS id FROM process_key WHERE process_id = ?', [processID]))?.id;
const caller = () => ({ accountID: tenant.account.accountID });
const callerWithCredential = () => ({ ...caller(), credentialID: tenant.credential.credentialID });

describe('creation', () => {
  test('POST /v1/schedules sends the fields, the creator and the Identifier of the key to the schedule service', async () => {
    const environmentID = uuid();
    const more = { matrix: { total: '10,50' }, environmentID: environmentID.toUpperCase(), active: false };
    const response = await post({ ...validBody(), name: '  Nightly ', ...more });
    expect([response.status, response.body]).toEqual([201, { id: expect.any(String) }]);
    const draft = {
      name: 'Nightly',
      cronExpression: '0 3 * * *',
      matrix: { total: '10,50' },
      environmentID,
      active: false,
    };
    const creator = { ...caller(), label: 'ERP' };
    const once = { id: expect.stringMatching(/^[\da-f-]{36}$/), deadline: expect.any(Number) };
    const secrets = { credentialID: tenant.credential.credentialID, processKeyID: await keyIDOf(tenant.processID) };
    const request = { ...once, processID: tenant.processID, creator, secrets, executor: 'erp-key', draft };
    expect(receivedRequests).toEqual([{ subject: 'schedule.create', request }]);
  });

  test('POST /v1/schedules creates an active schedule by default and sends no field that the request lacks', async () => {
    expect((await post(validBody())).status).toBe(201);
    const { draft } = Object(receivedRequests[0]?.request);
    expect(draft).toEqual({ name: 'Nightly', cronExpression: '0 3 * * *', active: true });
  });

  test('POST /v1/schedules trims the name and normalizes it to Unicode NFC, as the management API does', async () => {
    expect((await post({ ...validBody(), name: ' Cafe\u0301 ' })).status).toBe(201);
    expect(Object(receivedRequests[0]?.request).draft.name).toBe('Caf\u00e9');
  });

  test('POST /v1/schedules accepts a name of 120 characters that are sent decomposed', async () => {
    const name = '\u{16126}'.repeat(120);
    expect((await post({ ...validBody(), name: name.normalize('NFD') })).status).toBe(201);
    expect(Object(receivedRequests[0]?.request).draft.name).toBe(name);
  });

  test.each<[string, object, string, RegExp]>([
    ['no name', { name: undefined }, 'INVALID_NAME', /^name: is required$/],
    ['null as name', { name: null }, 'INVALID_NAME', /^name: must be a text$/],
    ['no processID', { processID: undefined }, 'INVALID_PROCESS_ID', /^processID: is required$/],
    ['text as processID', { processID: 'orders' }, 'INVALID_PROCESS_ID', /^processID: is not a UUID$/],
    ['a number as name', { name: 5 }, 'INVALID_NAME', /^name:/],
    ['a blank name', { name: '  ' }, 'INVALID_NAME', /^name:/],
    ['a name of 121 characters', { name: 'x'.repeat(121) }, 'INVALID_NAME', /^name:/],
    ['a name with a line break', { name: 'a\nb' }, 'INVALID_NAME', /^name:/],
    ['no cronExpression', { cronExpression: undefined }, 'INVALID_CRON', /^cronExpression: is required$/],
    ['null as cronExpression', { cronExpression: null }, 'INVALID_CRON', /^cronExpression:/],
    ['a list as matrix', { matrix: [] }, 'INVALID_MATRIX', /^matrix:/],
    ['null as matrix', { matrix: null }, 'INVALID_MATRIX', /^matrix:/],
    ['text as environmentID', { environmentID: 'office' }, 'INVALID_ENVIRONMENT', /^environmentID:/],
    ['null as environmentID', { environmentID: null }, 'INVALID_ENVIRONMENT', /^environmentID:/],
    ['text as active', { active: 'true' }, 'BAD_REQUEST', /^active:/],
    ['null as active', { active: null }, 'BAD_REQUEST', /^active:/],
    ['a number as active', { active: 1 }, 'BAD_REQUEST', /^active:/],
    ['another time zone', { timeZone: 'UTC' }, 'BAD_REQUEST', /^timeZone: must be America\/Sao_Paulo/],
    ['another spelling of active', { Active: false }, 'BAD_REQUEST', /^Active: .* is active$/],
  ])('POST /v1/schedules refuses %s', async (_, change, code, message) => {
    const response = await post({ ...validBody(), ...change });
    expect([response.status, response.body]).toEqual([400, refusalBody(code, message)]);
    expect(receivedRequests).toEqual([]);
  });

  test.each([
    ['"matrix":{"order":{"a":[1e400]}}', 'INVALID_MATRIX', /^order: has a number/],
    ['"active":1e400', 'BAD_REQUEST', /^active:/],
  ] as const)('POST /v1/schedules refuses the number that no double holds in %s', async (field, code, message) => {
    const response = await post(JSON.stringify(validBody()).replace(/}$/, `,${field}}`));
    expect([response.status, response.body]).toEqual([400, refusalBody(code, message)]);
    expect(receivedRequests).toEqual([]);
  });

  test('POST /v1/schedules accepts the time zone in which every expression is read', async () => {
    expect((await post({ ...validBody(), timeZone: 'America/Sao_Paulo' })).status).toBe(201);
    expect(Object(receivedRequests[0]?.request).draft).not.toHaveProperty('timeZone');
  });

  test('POST /v1/schedules accepts a name of 120 characters outside of the basic plane', async () => {
    const name = '\u{1f980}'.repeat(120);
    expect((await post({ ...validBody(), name })).status).toBe(201);
    expect(receivedRequests[0]?.request).toMatchObject({ draft: { name } });
  });

  test.each<ErrorCode>(['INVALID_CRON', 'OWNER_INACTIVE', 'PLAN_FEATURE_UNAVAILABLE', 'INVALID_ENVIRONMENT'])(
    '%s of the schedule service is returned unchanged',
    async (code) => {
      scheduleReplies.create = throwsCode(code);
      const response = await post(validBody());
      expect([response.status, response.body]).toEqual([new ApiError(code).status, refusalBody(code, /^field: why$/)]);
    },
  );

  test('POST /v1/schedules is retried until the schedule service replies, and creates one schedule', async () => {
    scheduleReplies.create = async ({ id }) => {
      if (receivedRequests.length < 3) throw new ApiError('UNAVAILABLE');
      return { id };
    };
    const response = await post(validBody());
    const requests = receivedRequests.map(({ request }) => Object(request));
    expect([response.status, response.body]).toEqual([201, { id: requests[0]?.id }]);
    expect(requests.map(({ resent }) => resent)).toEqual([undefined, true, true]);
    expect(new Set(requests.map(({ id, deadline }) => `${id} ${deadline}`)).size).toBe(1);
  });

  test('POST /v1/schedules is UNAVAILABLE when the attempt after the deadline gets no reply either', async () => {
    scheduleReplies.create = async ({ deadline }) => {
      ahead = deadline - Date.now() + 60_000;
      throw new ApiError('UNAVAILABLE');
    };
    const response = await post(validBody());
    ahead = 0;
    expect([response.status, response.body]).toEqual([503, refusalBody('UNAVAILABLE')]);
    expect(receivedRequests).toHaveLength(2);
  });
});

describe('list', () => {
  const item = (): Schedule => ({
    id: uuid(),
    name: 'Nightly',
    processID: tenant.processID,
    processName: 'Orders',
    cronExpression: '0 3 * * *',
    active: true,
    userName: 'ERP',
    matrix: { total: '10,50' },
    environmentID: uuid(),
  });

  test('GET /v1/schedules returns a page of the schedule service with the cursor of the next page', async () => {
    const [first, second, third] = [item(), item(), { ...item(), unavailable: 'OWNER_PLAN_NO_SCHEDULING' as const }];
    scheduleReplies.list = async ({ after }) =>
      after === undefined ? { schedules: [first, second], more: true } : { schedules: [third], more: false };
    const response = await send('get', SCHEDULES_PATH, asTenant(tenant));
    const newer = { after: second.id };
    expect([response.status, response.body]).toEqual([200, { schedules: [first, second], newer }]);
    const next = await send('get', `${SCHEDULES_PATH}?after=${second.id.toUpperCase()}`, asTenant(tenant));
    expect([next.status, next.body]).toEqual([200, { schedules: [third] }]);
    expect(receivedRequests.map(({ request }) => request)).toEqual([caller(), { ...caller(), after: second.id }]);
  });

  test('GET /v1/schedules refuses a malformed cursor, naming it', async () => {
    const response = await send('get', `${SCHEDULES_PATH}?after=x`, asTenant(tenant));
    expect([response.status, response.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(response.body.error.message).toMatch(/^after:/);
  });

  test('GET /v1/schedules needs no process key', async () => {
    const response = await send('get', SCHEDULES_PATH, { credential: tenant.credential.value });
    expect([response.status, response.body]).toEqual([200, { schedules: [] }]);
  });
});

describe('GET /v1/schedules/:id', () => {
  const id = uuid();

  test('the schedule is read from the schedule service, without a process key', async () => {
    const response = await send('get', `${SCHEDULES_PATH}/${id.toUpperCase()}`, {
      credential: tenant.credential.value,
    });
    const request = { id, ...caller() };
    expect([response.status, response.body]).toEqual([200, await scheduleReplies.read(request)]);
    expect(receivedRequests).toEqual([
      { subject: 'schedule.find', request },
      { subject: 'schedule.read', request },
    ]);
  });

  test('a schedule that the list lacks is SCHEDULE_NOT_FOUND, also for a share that may schedule the process', async () => {
    scheduleReplies.find = throwsCode('SCHEDULE_NOT_FOUND');
    const response = await send('get', `${SCHEDULES_PATH}/${id}`, asTenant(stranger));
    expect([response.status, response.body]).toEqual([404, refusalBody('SCHEDULE_NOT_FOUND')]);
    expect(receivedRequests.map(({ subject }) => subject)).toEqual(['schedule.find']);
  });
});

describe('PATCH and DELETE /v1/schedules/:id', () => {
  const id = uuid();

  test.each([true, false])(
    'PATCH of a schedule with active %s is sent to the schedule service with the caller',
    async (active) => {
      const response = await send(
        'patch',
        `${SCHEDULES_PATH}/${id.toUpperCase()}`,
        asTenant(tenant, { body: { active } }),
      );
      expect([response.status, response.body]).toEqual([200, { id, active }]);
      expect(receivedRequests.at(-1)).toEqual({
        subject: 'schedule.setActive',
        request: { id, ...callerWithCredential(), active },
      });
    },
  );

  test('DELETE of a schedule is sent to the schedule service with the caller', async () => {
    const response = await send('delete', `${SCHEDULES_PATH}/${id}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([200, { ok: true }]);
    expect(receivedRequests).toEqual([{ subject: 'schedule.remove', request: { id, ...callerWithCredential() } }]);
  });

  test.each<[string, string | object, RegExp]>([
    ['nothing', {}, /^active: is required$/],
    ['text', { active: 'false' }, /^active: must be true or false$/],
    ['null', { active: null }, /^active: must be true or false$/],
    ['no JSON', '{"active":', /^body:/],
    ['a list', [], /^body:/],
  ])('PATCH of a schedule with %s is BAD_REQUEST', async (_, body, message) => {
    const response = await send('patch', `${SCHEDULES_PATH}/${id}`, asTenant(tenant, { body }));
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', message)]);
    expect(receivedRequests.map(({ subject }) => subject)).toEqual(['schedule.find']);
  });

  test('a schedule of another tenant is answered like one that does not exist, whatever the body says', async () => {
    scheduleReplies.find = throwsCode('SCHEDULE_NOT_FOUND');
    scheduleReplies.remove = throwsCode('SCHEDULE_NOT_FOUND');
    const patched = await send('patch', `${SCHEDULES_PATH}/${id}`, asTenant(stranger, { body: '{"active":' }));
    expect([patched.status, patched.body]).toEqual([404, refusalBody('SCHEDULE_NOT_FOUND')]);
    const removed = await send('delete', `${SCHEDULES_PATH}/${id}`, asTenant(stranger));
    expect([removed.status, removed.body]).toEqual([404, refusalBody('SCHEDULE_NOT_FOUND')]);
    const { accountID } = stranger.account;
    const { credentialID } = stranger.credential;
    expect(receivedRequests.map(({ request }) => request)).toEqual([
      { id, accountID },
      { id, accountID, credentialID },
    ]);
  });

  test('a malformed id is answered like one that does not exist', async () => {
    for (const method of ['get', 'patch', 'delete'] as const) {
      const response = await send(method, `${SCHEDULES_PATH}/nightly`, asTenant(tenant, { body: { active: true } }));
      expect([method, response.status, response.body]).toEqual([method, 404, refusalBody('SCHEDULE_NOT_FOUND')]);
    }
    expect(receivedRequests).toEqual([]);
  });

  test('PLAN_FEATURE_UNAVAILABLE of the schedule service is returned', async () => {
    scheduleReplies.setActive = throwsCode('PLAN_FEATURE_UNAVAILABLE');
    const response = await send('patch', `${SCHEDULES_PATH}/${id}`, asTenant(tenant, { body: { active: true } }));
    expect([response.status, response.body]).toEqual([402, refusalBody('PLAN_FEATURE_UNAVAILABLE')]);
  });
});
