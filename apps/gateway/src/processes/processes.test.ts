import { v7 as uuid } from 'uuid';
import { executionReplies, receivedRequests } from '../../test/fake-execution';
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
let tenant: TestTenant;

// The fixed time is 22:30 on February 28 in São Paulo, when UTC already has the next day.
const FIXED_NOW = Date.parse('2026-03-01T01:30:00Z');

beforeAll(async () => {
  world = await startWorld({}, () => FIXED_NOW);
  tenant = await createTenant(world.registry);
});

afterAll(() => world?.close());

beforeEach(resetFakes);

const send = (method: HttpMethod, path: string, options?: GatewayCallOptions) =>
  callGateway(world.gateway.url, method, path, options);

describe('list of processes', () => {
  test('GET /v1/processes lists own processes, and shared ones with their owner’s name and the permissions', async () => {
    const { registry } = world;
    const [me, owner] = [await registry.addAccount(), await registry.addAccount({ name: 'Bruno' })];
    const environmentID = await registry.addEnvironment(me, { name: 'Office' });
    const own = await registry.addProcess(me, { name: 'Own', environmentID, paused: true });
    const shared = await registry.addProcess(owner, { name: 'Shared', active: false });
    await registry.addProcess(owner, { name: 'Not shared' });
    await registry.addShare(shared, me.accountID, ['execute', 'schedule']);
    const { value } = await registry.addCredential(me.accountID);

    const response = await send('get', '/v1/processes', { credential: value });

    expect(response.body).toEqual({
      processes: [
        { processID: own, processName: 'Own', agentName: 'Office', active: true, paused: true, owned: true },
        {
          processID: shared,
          processName: 'Shared',
          agentName: '',
          active: false,
          owned: false,
          ownerName: 'Bruno',
          permissions: { execute: true, edit: false, api: false, schedule: true, delete: false, share: false },
        },
      ],
    });
    expect(JSON.stringify(response.body)).not.toContain(owner.accountID);
  });
});

test('the name of an environment is shown as that of the agent of a process only while the owner reaches the environment', async () => {
  const { registry } = world;
  const administrator = await registry.addAccount();
  const owner = await registry.addAccount({ companyID: administrator.companyID });
  const environmentID = await registry.addEnvironment(administrator, { name: 'Office', shared: true });
  const processID = await registry.addProcess(owner, { environmentID });
  const { value: credential } = await registry.addCredential(owner.accountID);
  const shown = async () => (await send('get', '/v1/processes', { credential })).body;
  expect(await shown()).toMatchObject({ processes: [{ processID, agentName: 'Office' }] });
  await world.store.write("UPDATE environment SET shared = 0, name = 'Payroll' WHERE environment_id = ?", [
    environmentID,
  ]);
  expect(await shown()).toMatchObject({ processes: [{ processID, agentName: '' }] });
});

describe('one process', () => {
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

  test('GET /v1/processes/:pid and /matrix show the process and its Matrix to a share without permissions, and no value of a Secreto', async () => {
    const { registry } = world;
    const { account, processID, key } = await createTenant(registry);
    await registry.addMatrix(processID, variables);
    await registry.addShare(processID, tenant.account.accountID, []);

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

describe('history', () => {
  const path = () => `/v1/processes/${tenant.processID}/executions`;

  test('GET /v1/processes/:pid/executions asks for the last 30 days in São Paulo and echoes the range', async () => {
    const [from, to] = ['2026-01-29', '2026-02-28'];
    const response = await send('get', path(), asTenant(tenant));
    expect([response.status, response.body]).toEqual([200, { from, to, executions: [] }]);
    expect(receivedRequests).toEqual([
      { subject: 'history', request: { processID: tenant.processID, from, to, limit: 50 } },
    ]);
  });

  const itemOf = (instanceID: string) => ({
    instanceID,
    processID: tenant.processID,
    processName: 'Orders',
    status: 'success' as const,
    startedAt: '2026-02-02T03:04:05.678Z',
    finishedAt: '2026-02-02T03:04:06.000Z',
    durationSeconds: 1,
    savingsValue: 7.4,
    fteHours: 0.2,
  });

  test('GET /v1/processes/:pid/executions returns the executions that execution finds', async () => {
    const item = itemOf(uuid());
    executionReplies.history = async () => ({ executions: [item] });
    const response = await send('get', `${path()}?from=2026-01-02&to=2026-02-02&limit=500`, asTenant(tenant));
    expect(response.body).toEqual({ from: '2026-01-02', to: '2026-02-02', executions: [item] });
    expect(receivedRequests[0]?.request).toMatchObject({ from: '2026-01-02', to: '2026-02-02', limit: 500 });
  });

  test('GET /v1/processes/:pid/executions reads a history page by page', async () => {
    const item = itemOf(uuid());
    executionReplies.history = async () => ({ executions: [item], older: { before: item.instanceID } });
    const { body } = await send('get', path(), asTenant(tenant));
    expect(body.older).toEqual({ before: expect.any(String) });
    await send('get', `${path()}?before=${body.older.before}`, asTenant(tenant));
    expect(receivedRequests[1]?.request).toMatchObject({ before: item.instanceID, beforeTime: item.startedAt });
  });

  test('GET /v1/processes/:pid/executions takes the cursor of an earlier release, which is the id of an execution', async () => {
    const before = uuid();
    await send('get', `${path()}?before=${before.toUpperCase()}`, asTenant(tenant));
    expect(receivedRequests[0]?.request).toEqual({
      processID: tenant.processID,
      from: '2026-01-29',
      to: '2026-02-28',
      limit: 50,
      before,
    });
  });

  test('GET /v1/processes/:pid/executions keeps the first day of a history that is read across midnight', async () => {
    const before = `2026-01-28.${Date.parse('2026-01-28T12:00:00Z')}.${uuid()}`;
    const { body } = await send('get', `${path()}?before=${before}`, asTenant(tenant));
    expect(body).toMatchObject({ from: '2026-01-28', to: '2026-02-28' });
    await send('get', `${path()}?from=2026-01-30&before=${before}`, asTenant(tenant));
    const froms = ['2026-01-28', '2026-01-30'].map((from) => ({ request: expect.objectContaining({ from }) }));
    expect(receivedRequests).toMatchObject(froms);
  });

  test.each(['2026-02-30', '9999-12-31'])(
    'GET /v1/processes/:pid/executions takes a cursor with the day %s, which the range cannot begin with',
    async (day) => {
      const { status, body } = await send('get', `${path()}?before=${day}.0.${uuid()}`, asTenant(tenant));
      expect({ status, ...body }).toMatchObject({ status: 200, from: '2026-01-29', to: '2026-02-28' });
    },
  );

  test.each([
    ['before=', /^before:/],
    ['before=yesterday', /^before:/],
    ['before=2026-02-28.01920000-0000-7000-8000-000000000001', /^before: must be the text in `older`$/],
    ['before=2026-01-28.99999999999999999.01920000-0000-7000-8000-000000000001', /^before:/],
    ['from=2026-02-30', /^from:/],
    ['from=yesterday', /^from:/],
    ['from=', /^from:/],
    ['to=2026-1-1', /^to:/],
    ['to=2026-01-01&to=2026-01-02', /^to:/],
    ['from=2026-01-02&to=2026-01-01', /^from: 2026-01-02 is after to, which is 2026-01-01$/],
    ['from=9999-12-31', /^from: 9999-12-31 is after to, which is 2026-\d\d-\d\d unless sent$/],
    ['to=0001-01-01', /^to: 0001-01-01 is before from, which is 2026-\d\d-\d\d unless sent$/],
    ['limit=0', /^limit:/],
    ['limit=501', /^limit:/],
    ['limit=1.5', /^limit:/],
    ['limit=ten', /^limit:/],
    ['limit=-1', /^limit:/],
    ['limit=', /^limit:/],
    ['limit=1&limit=2', /^limit:/],
  ])('GET /v1/processes/:pid/executions refuses ?%s, naming the field', async (query, message) => {
    const response = await send('get', `${path()}?${query}`, asTenant(tenant));
    expect([response.status, response.body]).toEqual([400, refusalBody('BAD_REQUEST', message)]);
    expect(receivedRequests).toEqual([]);
  });
});
