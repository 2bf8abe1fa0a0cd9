import { ApiError } from '@batuta/errors';
import { LargeAnswers } from '@batuta/http';
import { v7 as uuid } from 'uuid';
import { executionReplies, receivedRequests } from '../test/fake-execution';
import {
  callGateway,
  createTenant,
  startWorld,
  type CallOptions,
  type HttpMethod,
  type TestTenant,
  type GatewayWorld,
} from '../test/world';

let world: GatewayWorld;
let tenant: TestTenant;
let stranger: TestTenant;

// The fixed time is 22:30 on February 28 in São Paulo, when UTC already has the next day.
const FIXED_NOW = Date.parse('2026-03-01T01:30:00Z');

beforeAll(async () => {
  world = await startWorld({}, () => FIXED_NOW);
  tenant = await createTenant(world.registry);
  stranger = await createTenant(world.registry);
});

afterAll(() => world?.close());

const usualReplies = { ...executionReplies };
beforeEach(() => {
  receivedRequests.length = 0;
  Object.assign(executionReplies, usualReplies);
});

const asTenant = ({ credential, key }: TestTenant, more: CallOptions = {}) => ({
  credential: credential.value,
  key,
  ...more,
});
const send = (method: HttpMethod, path: string, options?: CallOptions) =>
  callGateway(world.gateway.url, method, path, options);
const instancePath = () => `/v1/instances/${uuid()}`;
const refusalBody = (code: string, message: RegExp = /./) => ({
  error: { code, message: expect.stringMatching(message) },
});

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
  ['patch', `/v1/schedules/${uuid()}`],
  ['delete', `/v1/schedules/${uuid()}`],
];
const routesOf = (part: string) => routes().filter(([, path]) => path.includes(part));

describe('every route', () => {
  test('refuses a request without a credential and says how to authenticate', async () => {
    for (const [method, path] of routes()) {
      const response = await send(method, path, { key: tenant.key });
      expect([path, response.status, response.body]).toEqual([path, 401, refusalBody('MISSING_CREDENTIAL')]);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    expect(receivedRequests).toEqual([]);
  });

  test('of one process refuses a request without a key of that process', async () => {
    for (const [method, path] of routesOf(tenant.processID)) {
      const keyless = await send(method, path, { credential: tenant.credential.value });
      expect([path, keyless.status, keyless.body]).toEqual([path, 401, refusalBody('MISSING_PROCESS_KEY')]);
      const wrongKey = await send(method, path, asTenant(tenant, { key: stranger.key }));
      expect([path, wrongKey.status, wrongKey.body]).toEqual([path, 401, refusalBody('INVALID_PROCESS_KEY')]);
    }
  });

  test('of one process refuses another tenant, even with the right key', async () => {
    for (const [method, path] of routesOf(tenant.processID)) {
      const response = await send(method, path, asTenant(stranger, { key: tenant.key }));
      expect([path, response.status, response.body]).toEqual([path, 403, refusalBody('FORBIDDEN')]);
    }
  });

  test('of an instance sends the caller to execution and returns its refusal', async () => {
    const gone = async (): Promise<never> => {
      throw new ApiError('INSTANCE_NOT_FOUND', 'instanceID: no such instance');
    };
    Object.assign(executionReplies, { instance: gone, control: gone, logs: gone, evidence: gone });
    for (const [method, path] of routesOf('/instances/')) {
      const response = await send(method, path, { credential: stranger.credential.value });
      expect([path, response.status, response.body]).toEqual([path, 404, refusalBody('INSTANCE_NOT_FOUND')]);
    }
    const viewer = { accountID: stranger.account.accountID };
    expect(receivedRequests).toHaveLength(6);
    expect(receivedRequests.map(({ request }) => request)).toEqual(Array(6).fill(expect.objectContaining({ viewer })));
  });
});

describe('GET /v1/ping', () => {
  test('answers a request without a credential', async () => {
    const response = await send('get', '/v1/ping');
    expect([response.status, response.body]).toEqual([200, { ok: true, version: '1' }]);
    expect(response.headers['ratelimit']).toBeUndefined();
  });
});

describe('GET /v1/me', () => {
  test('describes the credential of the request', async () => {
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

describe('GET /v1/environments', () => {
  test('lists own and company-shared environments, and says whether an agent is connected', async () => {
    const { registry } = world;
    const me = await registry.account();
    const colleague = await registry.account({ companyID: me.companyID });
    const own = await registry.environment(me, { name: 'mine', offlineFlow: false });
    const ownShared = await registry.environment(me, { name: 'mine for all', shared: true });
    const shared = await registry.environment(colleague, { name: 'for all', shared: true });
    await registry.environment(colleague, { name: 'private' });
    await registry.environment(stranger.account, { name: 'foreign', shared: true });
    await registry.session(own);
    await registry.session(ownShared, { leaseSeconds: -1 });
    await registry.session(shared, { closed: true });

    const { value } = await registry.credential(me.accountID);
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

describe('GET /v1/processes', () => {
  test('lists own processes, and shared ones with their owner’s name and the permissions', async () => {
    const { registry } = world;
    const [me, owner] = [await registry.account(), await registry.account({ name: 'Bruno' })];
    const environmentID = await registry.environment(me, { name: 'Office' });
    const own = await registry.process(me, { name: 'Own', environmentID, paused: true });
    const shared = await registry.process(owner, { name: 'Shared' });
    await registry.process(owner, { name: 'Not shared' });
    await registry.share(shared, me.accountID, ['execute', 'schedule']);
    const { value } = await registry.credential(me.accountID);

    const response = await send('get', '/v1/processes', { credential: value });

    expect(response.body).toEqual({
      processes: [
        { processID: own, processName: 'Own', agentName: 'Office', active: true, paused: true, owned: true },
        {
          processID: shared,
          processName: 'Shared',
          agentName: '',
          active: true,
          owned: false,
          ownerName: 'Bruno',
          permissions: { execute: true, edit: false, api: false, schedule: true, delete: false, share: false },
        },
      ],
    });
    expect(JSON.stringify(response.body)).not.toContain(owner.accountID);
  });
});

test.each([['/v1/processes'], ['/v1/schedules'], [`/v1/instances/${uuid()}/logs`]])(
  'an answer of GET %s counts against the bytes that the company may have in flight',
  async (path) => {
    const admit = jest.spyOn(LargeAnswers.prototype, 'admit');
    await send('get', path, asTenant(tenant));
    expect(admit.mock.calls.map(([company]) => company)).toEqual([tenant.account.companyID]);
    admit.mockRestore();
  },
);

describe('GET /v1/processes/:pid and /matrix', () => {
  const variables = [
    { name: 'total', type: 'Moeda', default: 12.5 },
    { name: 'items', type: 'Lista' },
    { name: 'token', type: 'Secreto' },
  ];
  const matrix = [
    { name: 'total', type: 'Moeda', default: 12.5 },
    { name: 'items', type: 'Lista', default: [] },
    { name: 'token', type: 'Secreto', default: '' },
  ];

  test('show the process and its Matrix to a share without permissions, and no value of a Secreto', async () => {
    const { registry } = world;
    const { account, processID, key } = await createTenant(registry);
    await registry.matrix(processID, variables);
    await registry.share(processID, tenant.account.accountID, []);

    const detail = await send('get', `/v1/processes/${processID.toUpperCase()}`, asTenant(tenant, { key }));
    expect(detail.body).toEqual({
      processID,
      processName: 'Orders',
      description: 'takes orders',
      agentName: '',
      active: true,
      apiEnabled: true,
      currentVersion: 3,
      avgHumanTime: '00:12:30',
      avgOperatorCost: 35.5,
      matrix,
    });
    const alone = await send('get', `/v1/processes/${processID}/matrix`, asTenant(tenant, { key }));
    expect(alone.body).toEqual({ matrix });
    expect(JSON.stringify(detail.body)).not.toContain(account.accountID);
  });
});

describe('GET /v1/processes/:pid/executions', () => {
  const path = () => `/v1/processes/${tenant.processID}/executions`;

  test('asks for the last 30 days in São Paulo and echoes the range', async () => {
    const [from, to] = ['2026-01-29', '2026-02-28'];
    const response = await send('get', path(), asTenant(tenant));
    expect([response.status, response.body]).toEqual([200, { from, to, executions: [] }]);
    expect(receivedRequests).toEqual([
      { subject: 'history', request: { processID: tenant.processID, from, to, limit: 50 } },
    ]);
  });

  test('returns the executions that execution finds', async () => {
    const item = {
      instanceID: uuid(),
      processID: tenant.processID,
      processName: 'Orders',
      status: 'success' as const,
      startedAt: '2026-01-02T03:04:05.000Z',
      finishedAt: '2026-01-02T03:04:06.000Z',
      durationSeconds: 1,
      savingsValue: 7.4,
      fteHours: 0.2,
    };
    executionReplies.history = async () => ({ executions: [item] });
    const response = await send('get', `${path()}?from=2026-01-02&to=2026-01-02&limit=500`, asTenant(tenant));
    expect(response.body).toEqual({ from: '2026-01-02', to: '2026-01-02', executions: [item] });
    expect(receivedRequests[0]?.request).toMatchObject({ from: '2026-01-02', to: '2026-01-02', limit: 500 });
  });

  test.each([
    ['from=2026-02-30', /^from:/],
    ['from=yesterday', /^from:/],
    ['from=', /^from:/],
    ['to=2026-1-1', /^to:/],
    ['to=2026-01-01&to=2026-01-02', /^to:/],
    ['from=2026-01-02&to=2026-01-01', /^from:/],
    ['limit=0', /^limit:/],
    ['limit=501', /^limit:/],
    ['limit=1.5', /^limit:/],
    ['limit=ten', /^limit:/],
    ['limit=-1', /^limit:/],
    ['limit=', /^limit:/],
    ['limit=1&limit=2', /^limit:/],
  ])('refuses ?%s, naming the field', async (query, message) => {
    const response = await send('get', `${path()}?${query}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', message)]);
    expect(receivedRequests).toEqual([]);
  });
});

describe('an unknown route', () => {
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
  ])('%s %s is NOT_FOUND in the envelope', async (method, path) => {
    const response = await send(method, path);
    expect([response.status, response.body]).toEqual([404, refusalBody('NOT_FOUND')]);
  });

  test('with a malformed path is refused in the envelope', async () => {
    const response = await send('get', '/v1/processes/%zz', asTenant(tenant));
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST')]);
  });
});
