import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { executionReplies, receivedRequests } from '../../test/fake-execution';
import {
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
let tenant: TestTenant;

beforeAll(async () => {
  world = await startWorld();
  tenant = await createTenant(world.registry);
});

afterAll(() => world?.close());

beforeEach(resetFakes);

const asTenant = ({ credential }: TestTenant): GatewayCallOptions => ({ credential: credential.value });
const send = (method: HttpMethod, path: string, options?: GatewayCallOptions) =>
  callGateway(world.gateway.url, method, path, options);
const instancePath = () => `/v1/instances/${uuid()}`;

test('a malformed id is answered like one that does not exist', async () => {
  for (const path of ['/v1/instances/x', '/v1/instances/1%20OR%201', '/v1/instances/x/logs']) {
    const response = await send('get', path, asTenant(tenant));
    expect([path, response.status, response.body]).toEqual([path, 404, refusalBody('INSTANCE_NOT_FOUND')]);
  }
  const response = await send('post', '/v1/instances/x/stop', asTenant(tenant));
  expect([response.status, response.body]).toEqual([404, refusalBody('INSTANCE_NOT_FOUND')]);
  expect(receivedRequests).toEqual([]);
});

const runningInstance = {
  instanceID: uuid(),
  processID: uuid(),
  processName: 'Orders',
  status: 'running' as const,
  userName: 'ERP',
  startedAt: 1_700_000_000_000,
};

test('GET of an instance returns the body from execution', async () => {
  executionReplies.instance = async () => runningInstance;
  const response = await send('get', `/v1/instances/${runningInstance.instanceID}`, asTenant(tenant));
  expect([response.status, response.body]).toEqual([200, runningInstance]);
});

test.each(['stop', 'pause', 'resume'])(
  'POST of the action %s is passed on, with the credential’s label as executor',
  async (action) => {
    const response = await send('post', `/v1/instances/${runningInstance.instanceID}/${action}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([200, { ok: true, action }]);
    const viewer = { accountID: tenant.account.accountID, credentialID: tenant.credential.credentialID };
    expect(receivedRequests).toEqual([
      { subject: 'control', request: { instanceID: runningInstance.instanceID, action, viewer, executor: 'ERP' } },
    ]);
  },
);

test('POST of an action returns that the instance has ended', async () => {
  executionReplies.control = async () => {
    throw new ApiError('INSTANCE_FINISHED', 'The instance has ended.');
  };
  const response = await send('post', `${instancePath()}/stop`, asTenant(tenant));
  expect([response.status, response.body]).toEqual([409, refusalBody('INSTANCE_FINISHED')]);
});

test('POST of an unknown action is refused before the instance is looked for', async () => {
  for (const path of [`${instancePath()}/restart`, `${instancePath()}/STOP`, '/v1/instances/x/logs']) {
    const response = await send('post', path, asTenant(tenant));
    expect([path, response.status, response.body]).toEqual([
      path,
      400,
      refusalBody('INVALID_ACTION', /stop, pause, resume/),
    ]);
  }
  const anonymous = await send('post', `${instancePath()}/restart`);
  expect(anonymous.body).toEqual(refusalBody('MISSING_CREDENTIAL'));
  expect(receivedRequests).toEqual([]);
});

test('GET of the logs asks for 1000 lines by default', async () => {
  const path = `/v1/instances/${runningInstance.instanceID}/logs`;
  expect((await send('get', path, asTenant(tenant))).body).toEqual({ logs: [] });
  await send('get', `${path}?limit=5&after=0`, asTenant(tenant));
  expect(receivedRequests.map(({ request }) => request)).toEqual([
    expect.objectContaining({ limit: 1000 }),
    expect.objectContaining({ limit: 5, after: 0 }),
  ]);
});

test.each([
  ['limit=0', /^limit:/],
  ['limit=1001', /^limit:/],
  ['after=-1', /^after:/],
  ['after=x', /^after:/],
])('GET of the logs with ?%s is refused, naming the field', async (query, message) => {
  for (const path of [instancePath(), '/v1/instances/malformed']) {
    const response = await send('get', `${path}/logs?${query}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', message)]);
  }
});

test('GET of a picture returns its bytes, which are read from execution page by page for the caller', async () => {
  const [instanceID, evidenceID] = [uuid(), uuid()];
  const content = Buffer.from('a picture');
  executionReplies.evidence = async ({ offset }) => ({
    mediaType: 'image/jpeg',
    bytes: content.length,
    data: content.subarray(offset, offset + 5).toString('base64'),
  });
  const response = await send(
    'get',
    `/v1/instances/${instanceID}/evidence/${evidenceID.toUpperCase()}`,
    asTenant(tenant),
  );
  expect([response.status, response.body]).toEqual([200, content]);
  expect(response.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': '9',
    'x-content-type-options': 'nosniff',
    'content-disposition': `inline; filename="evidence-${evidenceID}.jpg"`,
    'cache-control': 'private, no-store',
  });
  const viewer = { accountID: tenant.account.accountID };
  const request = { instanceID, evidenceID, viewer };
  expect(receivedRequests.map(({ request: sent }) => sent)).toEqual([
    { ...request, offset: 0 },
    { ...request, offset: 5 },
  ]);
});

test('GET of a missing picture is refused with the reason of execution, and a malformed id without a request to execution', async () => {
  const unknown = await send('get', `${instancePath()}/evidence/${uuid()}`, asTenant(tenant));
  expect([unknown.status, unknown.body]).toEqual([404, refusalBody('NOT_FOUND', /still being uploaded/)]);
  expect(unknown.headers['content-type']).toMatch(/json/);
  receivedRequests.length = 0;
  const malformed = await send('get', `${instancePath()}/evidence/x`, asTenant(tenant));
  expect([malformed.status, malformed.body]).toEqual([404, refusalBody('NOT_FOUND', /evidence/)]);
  expect(receivedRequests).toEqual([]);
});
