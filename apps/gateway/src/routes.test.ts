import { ApiError } from '@batuta/errors';
import { LargeAnswers } from '@batuta/http';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { v7 as uuid } from 'uuid';
import { executionReplies, receivedRequests } from '../test/fake-execution';
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
} from '../test/world';

let world: GatewayWorld;
let tenant: TestTenant;
let stranger: TestTenant;

beforeAll(async () => {
  world = await startWorld();
  tenant = await createTenant(world.registry);
  stranger = await createTenant(world.registry);
});

afterAll(() => world?.close());

beforeEach(resetFakes);

const send = (method: HttpMethod, path: string, options?: GatewayCallOptions) =>
  callGateway(world.gateway.url, method, path, options);
const instancePath = () => `/v1/instances/${uuid()}`;

const routes = (): [HttpMethod, string][] => [
  ['get', '/v1/me'],
  ['get', '/v1/environments'],
  ['get', '/v1/processes'],
  ['get', `/v1/processes/${tenant.processID}`],
  ['get', `/v1/processes/${tenant.processID}/matrix`],
  ['get', `/v1/processes/${tenant.processID}/executions`],
  ['post', `/v1/processes/${tenant.processID}/start`],
  ['get', instancePath()],
  ['post', `${instancePath()}/stop`],
  ['post', `${instancePath()}/pause`],
  ['post', `${instancePath()}/resume`],
  ['get', `${instancePath()}/logs`],
  ['get', `${instancePath()}/evidence/${uuid()}`],
  ['get', '/v1/schedules'],
  ['post', '/v1/schedules'],
  ['get', `/v1/schedules/${uuid()}`],
  ['patch', `/v1/schedules/${uuid()}`],
  ['delete', `/v1/schedules/${uuid()}`],
];
const routesOf = (part: string) => routes().filter(([, path]) => path.includes(part));

describe('routes', () => {
  test('every route refuses a request without a credential and says how to authenticate', async () => {
    for (const [method, path] of routes()) {
      const response = await send(method, path, { key: tenant.key });
      expect([path, response.status, response.body]).toEqual([path, 401, refusalBody('MISSING_CREDENTIAL')]);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    expect(receivedRequests).toEqual([]);
  });

  test('every route of one process refuses a request without a key of that process', async () => {
    for (const [method, path] of routesOf(tenant.processID)) {
      const keyless = await send(method, path, { credential: tenant.credential.value });
      expect([path, keyless.status, keyless.body]).toEqual([path, 401, refusalBody('MISSING_PROCESS_KEY')]);
      const wrongKey = await send(method, path, asTenant(tenant, { key: stranger.key }));
      expect([path, wrongKey.status, wrongKey.body]).toEqual([path, 401, refusalBody('INVALID_PROCESS_KEY')]);
    }
  });

  test("a process key and a credential in each other's headers are refused by their prefixes", async () => {
    for (const [method, path] of routesOf(tenant.processID)) {
      const { body, text } = await send(method, path, { credential: tenant.key, key: tenant.credential.value });
      expect([path, body]).toEqual([
        path,
        refusalBody('INVALID_CREDENTIAL', /\(bpk_…\), which belongs in X-Process-Key/),
      ]);
      const wrongKey = await send(method, path, asTenant(tenant, { key: tenant.credential.value }));
      expect(wrongKey.body).toEqual(
        refusalBody('INVALID_PROCESS_KEY', /\(bat_live_…\), which belongs in "Authorization/),
      );
      for (const secret of [tenant.key, tenant.credential.value]) expect(text + wrongKey.text).not.toContain(secret);
    }
  });

  test('every route of one process refuses another tenant, even with the right key', async () => {
    for (const [method, path] of routesOf(tenant.processID)) {
      const response = await send(method, path, asTenant(stranger, { key: tenant.key }));
      expect([path, response.status, response.body]).toEqual([path, 403, refusalBody('FORBIDDEN')]);
    }
  });

  test('every route of an instance sends the caller to execution and returns its refusal', async () => {
    const gone = async (): Promise<never> => {
      throw new ApiError('INSTANCE_NOT_FOUND', 'instanceID: no such instance');
    };
    Object.assign(executionReplies, { instance: gone, control: gone, logs: gone, evidence: gone });
    for (const [method, path] of routesOf('/instances/')) {
      const response = await send(method, path, { credential: stranger.credential.value });
      expect([path, response.status, response.body]).toEqual([path, 404, refusalBody('INSTANCE_NOT_FOUND')]);
    }
    const viewer = expect.objectContaining({ accountID: stranger.account.accountID });
    expect(receivedRequests).toHaveLength(6);
    expect(receivedRequests.map(({ request }) => request)).toEqual(Array(6).fill(expect.objectContaining({ viewer })));
  });
});

describe('ping', () => {
  test('GET /v1/ping answers a request without a credential', async () => {
    const response = await send('get', '/v1/ping');
    expect([response.status, response.body]).toEqual([200, { ok: true, version: '1' }]);
    expect(response.headers['ratelimit']).toBeUndefined();
  });
});

describe('me', () => {
  test('GET /v1/me describes the credential of the request', async () => {
    const { account, credential } = tenant;
    const response = await send('get', '/v1/me', asTenant(tenant));
    expect(response.body).toEqual({
      account: {
        email: account.email,
        name: account.name,
        credId: credential.credentialID,
        credLabel: credential.label,
      },
    });
  });
});

describe('environments', () => {
  test('GET /v1/environments lists own and company-shared environments, and says whether an agent is connected', async () => {
    const { registry } = world;
    const me = await registry.addAccount();
    const colleague = await registry.addAccount({ companyID: me.companyID });
    const own = await registry.addEnvironment(me, { name: 'mine', offlineFlow: false });
    const ownShared = await registry.addEnvironment(me, { name: 'mine for all', shared: true });
    const shared = await registry.addEnvironment(colleague, { name: 'for all', shared: true });
    await registry.addEnvironment(colleague, { name: 'private' });
    await registry.addEnvironment(stranger.account, { name: 'foreign', shared: true });
    await registry.addSession(own);
    await registry.addSession(ownShared, { leaseSeconds: -1 });
    await registry.addSession(shared, { closed: true });

    const { value } = await registry.addCredential(me.accountID);
    const response = await send('get', '/v1/environments', { credential: value });

    const common = { description: 'a machine', envType: 'prod', os: 'windows' };
    expect(response.body).toEqual({
      environments: [
        { ...common, environmentID: own, name: 'mine', online: true, offlineFlow: false, shared: false },
        { ...common, environmentID: ownShared, name: 'mine for all', online: false, offlineFlow: true, shared: true },
        { ...common, environmentID: shared, name: 'for all', online: false, offlineFlow: true, shared: true },
      ],
    });
  });
});

describe('large answers', () => {
  let admit: jest.SpyInstance<void, Parameters<LargeAnswers['admit']>>;
  beforeEach(() => {
    admit = jest.spyOn(LargeAnswers.prototype, 'admit').mockImplementation(() => {
      throw new ApiError('RATE_LIMITED', 'not read');
    });
  });
  afterEach(() => admit.mockRestore());

  test('every answer to a known caller counts against the bytes that its company may have in flight', async () => {
    const { companyID } = tenant.account;
    executionReplies.instance = async () => ({
      instanceID: 'i',
      processID: 'p',
      processName: 'P',
      status: 'running',
      userName: 'u',
      startedAt: 1,
    });
    executionReplies.evidence = async () => ({ mediaType: 'image/png', bytes: 3, data: 'cGlj' });
    for (const [, path] of routes().filter(([method]) => method === 'get')) {
      admit.mockClear();
      const { status, body } = await send('get', path, asTenant(tenant));
      expect([path, status, body]).toEqual([path, 429, refusalBody('RATE_LIMITED', /^not read$/)]);
      expect(admit.mock.calls.map(([company]) => company)).toEqual([companyID]);
    }
  });

  test('the answer of a start is not refused as a read would be: its connection is cut', async () => {
    await expect(send('post', `/v1/processes/${tenant.processID}/start`, asTenant(tenant))).rejects.toThrow(
      'socket hang up',
    );
    expect(receivedRequests.map(({ subject }) => subject)).toEqual(['start']);
  });
});

test('GET /v1/processes/{pid}/matrix of a company that does not read its large answers is refused', async () => {
  const { account, processID } = tenant;
  await world.registry.addMatrix(processID, [{ name: 'large', type: 'Texto', default: 'x'.repeat(900_000) }]);
  const admit = jest.spyOn(LargeAnswers.prototype, 'admit');
  const path = `/v1/processes/${processID}/matrix`;
  expect((await send('get', path, asTenant(tenant))).status).toBe(200);
  const [answers] = admit.mock.contexts;
  const unread = new ServerResponse(new IncomingMessage(new Socket()));
  answers?.tryReserve(account.companyID, unread, 2_000_000);
  expect((await send('get', path, asTenant(tenant))).body).toEqual(refusalBody('RATE_LIMITED', /not read/));
  unread.emit('close');
  expect((await send('get', path, asTenant(tenant))).status).toBe(200);
  admit.mockRestore();
});

describe('unknown routes', () => {
  test.each<[HttpMethod, string]>([
    ['get', '/'],
    ['get', '/v1'],
    ['get', '/v1/none'],
    ['post', '/v1/ping'],
    ['delete', '/v1/me'],
    ['put', '/v1/processes'],
    ['post', '/v1/hooks/a/b'],
    ['get', `/v1/processes/${uuid()}/start`],
    ['get', `/v1/instances/${uuid()}/stop`],
  ])('the unknown route %s %s is NOT_FOUND in the envelope', async (method, path) => {
    const response = await send(method, path);
    expect([response.status, response.body]).toEqual([404, refusalBody('NOT_FOUND')]);
  });

  test('a route with a malformed path is refused in the envelope', async () => {
    const response = await send('get', '/v1/processes/%zz', asTenant(tenant));
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST')]);
  });
});
