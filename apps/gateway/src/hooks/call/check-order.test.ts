import { ApiError } from '@batuta/errors';
import { mintSecret } from '@batuta/auth';
import { connect } from 'node:net';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../../test/support/wait-until';
import { receivedRequests } from '../../../test/fake-execution';
import { webhookReplies } from '../../../test/fake-webhook';
import { callGateway, startWorld, type GatewayWorld } from '../../../test/world';

/** The faults of a production call, in the order of the checks, with their error codes. */
const FAULTS_IN_ORDER = [
  ['unknown route', 'NOT_FOUND'],
  ['malformed token', 'NOT_FOUND'],
  ['malformed process id', 'NOT_FOUND'],
  ['unknown token', 'NOT_FOUND'],
  ['token of another process', 'NOT_FOUND'],
  ['rotated token', 'WEBHOOK_TOKEN_REVOKED'],
  ['origin switched off', 'WEBHOOK_DISABLED'],
  ['process that is BLOQUEADO', 'WEBHOOK_DISABLED'],
  ['plan without API access', 'PLAN_FEATURE_UNAVAILABLE'],
  ['rate limit used up', 'RATE_LIMITED'],
  ['compressed body', 'BAD_REQUEST'],
  ['body above 1 MB', 'PAYLOAD_TOO_LARGE'],
  ['malformed Idempotency-Key', 'BAD_REQUEST'],
  ['refused by the webhook service', 'INVALID_MATRIX'],
] as const;
type Fault = (typeof FAULTS_IN_ORDER)[number][0];

/** Messages of the faults that share an error code. */
const MESSAGE_OF_FAULT: Partial<Record<Fault, RegExp>> = {
  'unknown route': /path/,
  'malformed token': /URL/,
  'origin switched off': /switched off/,
  'process that is BLOQUEADO': /BLOQUEADO/,
  'compressed body': /^Content-Encoding/,
  'malformed Idempotency-Key': /^Idempotency-Key/,
};

let world: GatewayWorld;

beforeAll(async () => {
  world = await startWorld();
});

// The webhook service refuses every start. The reply is set before each test, because a test that starts a world of its
// own resets the replies of the fakes.
beforeEach(() => {
  webhookReplies.start = async () => {
    throw new ApiError('INVALID_MATRIX', 'total: is not a number');
  };
});

afterAll(() => world?.close());

async function callWithFaults(...faults: Fault[]) {
  const { registry, gateway } = world;
  const has = (fault: Fault) => faults.includes(fault);
  const { companyID } = await registry.addCompany({
    apiAccess: !has('plan without API access'),
    requestsPerMinute: has('rate limit used up') ? 0 : 100,
  });
  const owner = await registry.addAccount({ companyID });
  const processID = await registry.addProcess(owner, { apiEnabled: !has('process that is BLOQUEADO') });
  const { originID, prod } = await registry.addOrigin(processID, { enabled: !has('origin switched off') });
  const rotated = await registry.addToken(originID, 'prod', { revokedAt: new Date() });
  const known = has('rotated token') ? rotated : prod;
  const pid = has('malformed process id') ? 'orders' : has('token of another process') ? uuid() : processID;
  const token = has('malformed token') ? `${known}x` : has('unknown token') ? mintSecret('bwh').value : known;
  return callGateway(gateway.url, 'post', `/v1/${has('unknown route') ? 'hook' : 'hooks'}/${pid}/${token}`, {
    headers: {
      'Content-Type': 'application/json',
      ...(has('compressed body') ? { 'Content-Encoding': 'gzip' } : {}),
      ...(has('malformed Idempotency-Key') ? { 'Idempotency-Key': 'ação' } : {}),
    },
    body: has('body above 1 MB') ? 'x'.repeat(1_048_577) : '{}',
  });
}

test.each(FAULTS_IN_ORDER)('%s gives %s, also together with any later fault', async (fault, code) => {
  const later = FAULTS_IN_ORDER.slice(FAULTS_IN_ORDER.findIndex(([name]) => name === fault) + 1);
  for (const [second] of [[fault] as const, ...later]) {
    const response = await callWithFaults(fault, second);
    expect([second, response.status, response.body]).toEqual([
      second,
      new ApiError(code).status,
      { error: { code, message: expect.stringMatching(MESSAGE_OF_FAULT[fault] ?? /./) } },
    ]);
    expect(response.headers['x-instance-id']).toBeUndefined();
  }
});

test('only a call that passes every check reaches the webhook service', async () => {
  receivedRequests.length = 0;
  for (const [fault] of FAULTS_IN_ORDER.slice(0, -1)) await callWithFaults(fault);
  expect(receivedRequests).toEqual([]);
  await callWithFaults();
  expect(receivedRequests).toHaveLength(1);
});

test('a malformed token causes no query', async () => {
  const rows = jest.spyOn(world.store.constructor.prototype, 'rows');
  // Other work of the gateway, such as the comparison of clocks, makes queries of its own.
  const queriesOfCalls = () => rows.mock.calls.filter(([sql]) => !/SELECT UTC_TIMESTAMP/.test(String(sql)));
  const pid = uuid();
  for (const token of ['x', `bpk_${'a'.repeat(43)}`, `bwh_${'a'.repeat(42)}`, `bwh_${'a'.repeat(42)}%20`, '%00']) {
    const response = await callGateway(world.gateway.url, 'post', `/hooks/${pid}/${token}`);
    expect([token, response.status, response.body.error.code]).toEqual([token, 404, 'NOT_FOUND']);
  }
  expect(queriesOfCalls()).toEqual([]);
  await callGateway(world.gateway.url, 'post', `/hooks/${pid}/${mintSecret('bwh').value}`);
  expect(queriesOfCalls()).toHaveLength(1);
  rows.mockRestore();
});

test('wrong tokens never block the address of their sender', async () => {
  const strict = await startWorld({ FAILED_CREDENTIALS_PER_MINUTE: '1' });
  try {
    for (let n = 0; n < 4; n += 1) {
      const response = await callGateway(strict.gateway.url, 'post', `/hooks/${uuid()}/${mintSecret('bwh').value}`);
      expect(response.status).toBe(404);
    }
  } finally {
    await strict.close();
  }
});

test.each([
  ['a rotation', "UPDATE origin_token SET revoked_at = UTC_TIMESTAMP(3) WHERE kind = 'prod'", 'WEBHOOK_TOKEN_REVOKED'],
  ['an origin that is switched off', 'UPDATE origin SET enabled = 0', 'WEBHOOK_DISABLED'],
  ['a process that becomes BLOQUEADO', 'UPDATE process SET api_enabled = 0', 'WEBHOOK_DISABLED'],
  ['a plan without API access', 'UPDATE plan SET api_access = 0', 'PLAN_FEATURE_UNAVAILABLE'],
  ['a deleted origin', 'DELETE FROM origin', 'NOT_FOUND'],
])('%s takes effect with the next call of a webhook URL', async (_, sql, code) => {
  const { registry, gateway, store } = world;
  const processID = await registry.addProcess(await registry.addAccount());
  const { prod } = await registry.addOrigin(processID);
  const post = () => callGateway(gateway.url, 'post', `/v1/hooks/${processID}/${prod}`);
  expect((await post()).body.error.code).toBe('INVALID_MATRIX');
  await store.write(sql);
  expect((await post()).body.error.code).toBe(code);
});

test.each(['prod', 'dev'] as const)('a %s URL that is rotated while the body arrives is refused', async (kind) => {
  let clockOffset = 0;
  const slow = await startWorld({}, () => Date.now() + clockOffset);
  try {
    const { registry, gateway, store } = slow;
    const processID = await registry.addProcess(await registry.addAccount());
    const { originID, [kind]: token } = await registry.addOrigin(processID);
    receivedRequests.length = 0;
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = ['Host: x', 'Content-Length: 2', 'Connection: close'].join('\r\n');
    socket.write(`POST /v1/hooks/${processID}/${token} HTTP/1.1\r\n${head}\r\n\r\n{`);
    const subject = [`origin:${originID}`];
    await waitUntil('the call passed the guard', () =>
      store.row('SELECT 1 FROM rate_allowance WHERE subject = ?', subject),
    );
    await store.write('UPDATE origin_token SET revoked_at = UTC_TIMESTAMP(3) WHERE origin_id = ?', [originID]);
    clockOffset = 10_000;
    socket.write('}');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.code).toBe('WEBHOOK_TOKEN_REVOKED');
    expect(receivedRequests).toEqual([]);
  } finally {
    await slow.close();
  }
});

describe('development URLs', () => {
  const devOf = async (plan: { apiAccess?: boolean }, given: { blocked?: boolean; suspended?: boolean } = {}) => {
    const { registry, gateway } = world;
    const { companyID } = await registry.addCompany(plan, { suspended: given.suspended });
    const owner = await registry.addAccount({ companyID, blocked: given.blocked });
    const processID = await registry.addProcess(owner, { apiEnabled: false });
    const { dev } = await registry.addOrigin(processID);
    return callGateway(gateway.url, 'post', `/v1/hooks/${processID}/${dev}`);
  };

  test('a development URL needs neither a plan with API access nor a process that is LIBERADO', async () => {
    expect((await devOf({ apiAccess: false })).status).toBe(200);
  });

  test.each([{ blocked: true }, { suspended: true }])(
    'a development URL whose owner is %j is refused with OWNER_INACTIVE',
    async (given) => {
      const response = await devOf({}, given);
      expect([response.status, response.body.error.code]).toEqual([403, 'OWNER_INACTIVE']);
    },
  );
});
