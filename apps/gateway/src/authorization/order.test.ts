import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { executionReplies, receivedRequests } from '../../test/fake-execution';
import { callGateway, startWorld, type GatewayWorld } from '../../test/world';

/** The faults of a start in the order of interpretation 11, with the code that each gives. */
const FAULTS_IN_ORDER = [
  ['unknown route', 'NOT_FOUND'],
  ['throttled address', 'RATE_LIMITED'],
  ['no credential', 'MISSING_CREDENTIAL'],
  ['wrong credential', 'INVALID_CREDENTIAL'],
  ['revoked credential', 'CREDENTIAL_REVOKED'],
  ['expired credential', 'CREDENTIAL_EXPIRED'],
  ['blocked caller', 'OWNER_INACTIVE'],
  ['suspended company', 'OWNER_INACTIVE'],
  ['plan without API access', 'PLAN_FEATURE_UNAVAILABLE'],
  ['rate limit used up', 'RATE_LIMITED'],
  ['no process key', 'MISSING_PROCESS_KEY'],
  ['malformed process id', 'INVALID_PROCESS_ID'],
  ['no such process', 'PROCESS_NOT_FOUND'],
  ['process that is not shared', 'FORBIDDEN'],
  ['key of another process', 'INVALID_PROCESS_KEY'],
  ['revoked key', 'PROCESS_KEY_REVOKED'],
  ['expired key', 'PROCESS_KEY_EXPIRED'],
  ['API disabled', 'API_DISABLED'],
  ['share without execute', 'FORBIDDEN'],
  ['unsupported charset', 'UNSUPPORTED_CHARSET'],
  ['malformed body', 'BAD_REQUEST'],
  ['refused by execution', 'AGENT_OFFLINE'],
] as const;
type Fault = (typeof FAULTS_IN_ORDER)[number][0];

/** Messages that distinguish faults with the same code. */
const MESSAGE_OF_FAULT: Partial<Record<Fault, RegExp>> = {
  'throttled address': /address/,
  'rate limit used up': /credential/,
  'plan without API access': /API access/,
  'process that is not shared': /neither yours nor shared/,
  'share without execute': /permission execute\./,
};

const THROTTLED_ADDRESS = '192.0.2.1';
const PAST = new Date(Date.now() - 60_000);
let world: GatewayWorld;

beforeAll(async () => {
  world = await startWorld({ TRUST_PROXY: '1', FAILED_CREDENTIALS_PER_MINUTE: '3' }, () => 90_000);
  executionReplies.start = async () => {
    throw new ApiError('AGENT_OFFLINE');
  };
  for (let n = 0; n < 3; n += 1) {
    await callGateway(world.gateway.url, 'get', '/v1/me', {
      credential: 'guess',
      headers: { 'X-Forwarded-For': THROTTLED_ADDRESS },
    }).expect(401);
  }
});

afterAll(() => world?.close());

let callers = 0;

/** One start with these faults, from a new address, by an account that has a share of the process. */
async function startWithFaults(...faults: Fault[]) {
  const { registry, gateway } = world;
  const has = (fault: Fault) => faults.includes(fault);
  const { companyID } = await registry.addCompany(
    { apiAccess: !has('plan without API access'), requestsPerMinute: has('rate limit used up') ? 0 : 100 },
    { suspended: has('suspended company') },
  );
  const owner = await registry.addAccount();
  const { accountID } = await registry.addAccount({ companyID, blocked: has('blocked caller') });
  const { value } = await registry.addCredential(accountID, {
    revokedAt: has('revoked credential') ? PAST : undefined,
    expiresAt: has('expired credential') ? PAST : undefined,
  });
  const processID = await registry.addProcess(owner, { apiEnabled: !has('API disabled') });
  const other = has('key of another process') ? await registry.addProcess(owner) : processID;
  const key = await registry.addKey(other, {
    revokedAt: has('revoked key') ? PAST : undefined,
    expiresAt: has('expired key') ? PAST : undefined,
  });
  if (!has('process that is not shared'))
    await registry.addShare(processID, accountID, has('share without execute') ? [] : ['execute']);

  const pid = has('malformed process id') ? 'orders' : has('no such process') ? uuid() : processID;
  callers += 1;
  return callGateway(gateway.url, 'post', `/v1/processes/${pid}/${has('unknown route') ? 'launch' : 'start'}`, {
    credential: has('no credential') ? undefined : has('wrong credential') ? `${value.slice(0, -3)}xyz` : value,
    key: has('no process key') ? undefined : key,
    headers: {
      'X-Forwarded-For': has('throttled address')
        ? THROTTLED_ADDRESS
        : `198.51.${Math.floor(callers / 250)}.${callers % 250}`,
      'Content-Type': has('unsupported charset') ? 'application/json; charset=ISO-8859-1' : 'application/json',
    },
    body: has('malformed body') ? '{"matrix":' : '{}',
  });
}

const refusalOf = (fault: Fault, code: string) => ({
  error: { code, message: expect.stringMatching(MESSAGE_OF_FAULT[fault] ?? /./) },
});

test.each(FAULTS_IN_ORDER)('%s gives %s, whichever later check fails too', async (fault, code) => {
  const later = FAULTS_IN_ORDER.slice(FAULTS_IN_ORDER.findIndex(([name]) => name === fault) + 1);
  for (const [second] of [[fault] as const, ...later]) {
    const response = await startWithFaults(fault, second);
    expect([second, response.status, response.body]).toEqual([
      second,
      new ApiError(code).status,
      refusalOf(fault, code),
    ]);
  }
});

test('only a request that passes every check reaches execution', async () => {
  receivedRequests.length = 0;
  for (const [fault] of FAULTS_IN_ORDER.slice(0, -1)) await startWithFaults(fault);
  expect(receivedRequests).toEqual([]);
  await startWithFaults();
  expect(receivedRequests).toHaveLength(1);
});

test('an address is throttled for wrong credentials only, until the minute ends', async () => {
  const ok = await startWithFaults('no credential');
  expect(ok.body).toEqual(refusalOf('no credential', 'MISSING_CREDENTIAL'));
  const throttled = await startWithFaults('throttled address');
  expect(throttled.headers['retry-after']).toBe('60');
});
