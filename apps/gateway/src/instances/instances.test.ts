import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { answers, asked } from '../../test/fake-execution';
import { call, createTenant, startWorld, type Call, type Method, type Tenant, type World } from '../../test/world';

let world: World;
let tenant: Tenant;

beforeAll(async () => {
  world = await startWorld();
  tenant = await createTenant(world.registry);
});

afterAll(() => world?.close());

const original = { ...answers };
beforeEach(() => {
  asked.length = 0;
  Object.assign(answers, original);
});

const asTenant = ({ credential }: Tenant): Call => ({ credential: credential.value });
const send = (method: Method, path: string, options?: Call) => call(world.gateway.url, method, path, options);
const instance = () => `/v1/instances/${uuid()}`;
const refusal = (code: string, message: RegExp = /./) => ({ error: { code, message: expect.stringMatching(message) } });

test('a malformed id is answered like one that does not exist', async () => {
  for (const path of ['/v1/instances/x', '/v1/instances/1%20OR%201', '/v1/instances/x/logs']) {
    const response = await send('get', path, asTenant(tenant));
    expect([path, response.status, response.body]).toEqual([path, 404, refusal('INSTANCE_NOT_FOUND')]);
  }
  const response = await send('post', '/v1/instances/x/stop', asTenant(tenant));
  expect([response.status, response.body]).toEqual([404, refusal('INSTANCE_NOT_FOUND')]);
  expect(asked).toEqual([]);
});

const running = {
  instanceID: uuid(),
  processID: uuid(),
  processName: 'Orders',
  status: 'running' as const,
  userName: 'ERP',
  startedAt: 1_700_000_000_000,
};

test('GET returns the body from execution', async () => {
  answers.instance = async () => running;
  const response = await send('get', `/v1/instances/${running.instanceID}`, asTenant(tenant));
  expect([response.status, response.body]).toEqual([200, running]);
});

test.each(['stop', 'pause', 'resume'])(
  'POST %s is passed on, with the credential’s label as executor',
  async (action) => {
    const response = await send('post', `/v1/instances/${running.instanceID}/${action}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([200, { ok: true, action }]);
    const viewer = { accountID: tenant.account.accountID };
    expect(asked).toEqual([
      { subject: 'control', request: { instanceID: running.instanceID, action, viewer, executor: 'ERP' } },
    ]);
  },
);

test('POST returns that the instance has ended', async () => {
  answers.control = async () => {
    throw new ApiError('INSTANCE_FINISHED', 'The instance has ended.');
  };
  const response = await send('post', `${instance()}/stop`, asTenant(tenant));
  expect([response.status, response.body]).toEqual([409, refusal('INSTANCE_FINISHED')]);
});

test('POST refuses an unknown action before it looks for the instance', async () => {
  for (const path of [`${instance()}/restart`, `${instance()}/STOP`, '/v1/instances/x/logs']) {
    const response = await send('post', path, asTenant(tenant));
    expect([path, response.status, response.body]).toEqual([
      path,
      400,
      refusal('INVALID_ACTION', /stop, pause, resume/),
    ]);
  }
  const anonymous = await send('post', `${instance()}/restart`);
  expect(anonymous.body).toEqual(refusal('MISSING_CREDENTIAL'));
  expect(asked).toEqual([]);
});

test('GET logs asks for 1000 lines by default', async () => {
  const path = `/v1/instances/${running.instanceID}/logs`;
  expect((await send('get', path, asTenant(tenant))).body).toEqual({ logs: [] });
  await send('get', `${path}?limit=5&after=0`, asTenant(tenant));
  expect(asked.map(({ request }) => request)).toEqual([
    expect.objectContaining({ limit: 1000 }),
    expect.objectContaining({ limit: 5, after: 0 }),
  ]);
});

test.each([
  ['limit=0', /^limit:/],
  ['limit=1001', /^limit:/],
  ['after=-1', /^after:/],
  ['after=x', /^after:/],
])('GET logs refuses ?%s, naming the field', async (query, message) => {
  for (const path of [instance(), '/v1/instances/malformed']) {
    const response = await send('get', `${path}/logs?${query}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([400, refusal('BAD_REQUEST', message)]);
  }
});
