import type { Permission } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { scheduleReplies } from '../../test/fake-schedule';
import { callGateway, resetFakes, startWorld, type GatewayWorld } from '../../test/world';

let world: GatewayWorld;

beforeAll(async () => {
  world = await startWorld({});
});

beforeEach(resetFakes);

afterAll(() => world?.close());

/** The faults of a creation in the order of interpretation 11, with the code that each gives. */
const FAULTS_IN_ORDER = [
  ['no credential', 'MISSING_CREDENTIAL'],
  ['blocked caller', 'OWNER_INACTIVE'],
  ['plan without API access', 'PLAN_FEATURE_UNAVAILABLE'],
  ['no process key', 'MISSING_PROCESS_KEY'],
  ['unsupported charset', 'UNSUPPORTED_CHARSET'],
  ['malformed body', 'BAD_REQUEST'],
  ['no process id', 'INVALID_PROCESS_ID'],
  ['malformed process id', 'INVALID_PROCESS_ID'],
  ['no such process', 'PROCESS_NOT_FOUND'],
  ['process that is not shared', 'FORBIDDEN'],
  ['key of another process', 'INVALID_PROCESS_KEY'],
  ['API disabled', 'API_DISABLED'],
  ['share without schedule', 'FORBIDDEN'],
  ['malformed field', 'INVALID_NAME'],
  ['refused by the service', 'INVALID_CRON'],
] as const;
type Fault = (typeof FAULTS_IN_ORDER)[number][0];

/** Messages that distinguish faults with the same code. */
const MESSAGE_OF_FAULT: Partial<Record<Fault, RegExp>> = {
  'process that is not shared': /neither yours nor shared/,
  'share without schedule': /permission schedule\./,
};

async function createWithFaults(...faults: Fault[]) {
  const { registry } = world;
  const has = (fault: Fault) => faults.includes(fault);
  const { companyID } = await registry.addCompany({ apiAccess: !has('plan without API access') });
  const owner = await registry.addAccount();
  const { accountID } = await registry.addAccount({ companyID, blocked: has('blocked caller') });
  const { value } = await registry.addCredential(accountID);
  const processID = await registry.addProcess(owner, { apiEnabled: !has('API disabled') });
  const key = await registry.addKey(has('key of another process') ? await registry.addProcess(owner) : processID);
  // Either every permission but `schedule`, or only `schedule`.
  const others: Permission[] = ['execute', 'edit', 'api', 'delete', 'share'];
  if (!has('process that is not shared'))
    await registry.addShare(processID, accountID, has('share without schedule') ? others : ['schedule']);
  const named = has('malformed process id') ? 'orders' : has('no such process') ? uuid() : processID;
  const body = {
    processID: has('no process id') ? undefined : named,
    name: has('malformed field') ? '' : 'Nightly',
    cronExpression: '0 3 * * *',
  };
  return callGateway(world.gateway.url, 'post', '/v1/schedules', {
    credential: has('no credential') ? undefined : value,
    key: has('no process key') ? undefined : key,
    headers: {
      'Content-Type': has('unsupported charset') ? 'application/json; charset=ISO-8859-1' : 'application/json',
    },
    body: has('malformed body') ? '{"name":' : JSON.stringify(body),
  });
}

test.each(FAULTS_IN_ORDER)('a creation with %s gives %s, whichever later check fails too', async (fault, code) => {
  scheduleReplies.create = async () => {
    throw new ApiError('INVALID_CRON', 'field: why');
  };
  const later = FAULTS_IN_ORDER.slice(FAULTS_IN_ORDER.findIndex(([name]) => name === fault) + 1);
  for (const [second] of [[fault] as const, ...later]) {
    const response = await createWithFaults(fault, second);
    expect([second, response.status, response.body]).toEqual([
      second,
      new ApiError(code).status,
      { error: { code, message: expect.stringMatching(MESSAGE_OF_FAULT[fault] ?? /./) } },
    ]);
  }
});

test('the permission `schedule` is enough to schedule a shared process', async () => {
  expect((await createWithFaults()).status).toBe(201);
});
