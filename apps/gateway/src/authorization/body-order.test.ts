import { ApiError, type ErrorCode } from '@batuta/errors';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { v7 as uuid } from 'uuid';
import { receivedRequests } from '../../test/fake-execution';
import { scheduleReplies } from '../../test/fake-schedule';
import { createTenant, startWorld, type TestTenant, type GatewayWorld } from '../../test/world';

let world: GatewayWorld;
let owner: TestTenant;
let other: TestTenant;
/** Credentials of other accounts, each named after the reason for which a start of the owner's process with it is refused. */
let wrong: Record<'revoked' | 'withoutApiAccess' | 'spent' | 'guest', string>;

beforeAll(async () => {
  world = await startWorld();
  const { registry } = world;
  [owner, other] = [await createTenant(registry), await createTenant(registry)];
  const createCredential = async (companyID: string | undefined, revokedAt?: Date) => {
    const { accountID } = await registry.addAccount({ companyID });
    await registry.addShare(owner.processID, accountID, []);
    return (await registry.addCredential(accountID, { revokedAt })).value;
  };
  wrong = {
    revoked: await createCredential(undefined, new Date()),
    withoutApiAccess: await createCredential((await registry.addCompany({ apiAccess: false })).companyID),
    spent: await createCredential((await registry.addCompany({ requestsPerMinute: 0 })).companyID),
    guest: await createCredential(undefined),
  };
  scheduleReplies.find = async () => {
    throw new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');
  };
});

afterAll(() => world?.close());

const INVALID_JSON = '{"matrix":';

/** A malformed body for each way in which the gateway reads bodies. */
const MALFORMED_BODIES: [how: string, body: () => RequestInit['body'], headers: Record<string, string>][] = [
  ['small, read in advance', () => INVALID_JSON, {}],
  ['small, in another charset', () => INVALID_JSON, { 'Content-Type': 'application/json; charset=utf-16' }],
  ['small, of another type', () => INVALID_JSON, { 'Content-Type': 'text/plain' }],
  ['larger', () => INVALID_JSON + ' '.repeat(20_000), {}],
  ['without a length', () => new Blob([INVALID_JSON]).stream(), {}],
  ['compressed', () => new Uint8Array(gzipSync(INVALID_JSON)), { 'Content-Encoding': 'gzip' }],
];

interface SentRequest {
  method?: string;
  path?: string;
  credential?: string;
  key?: string;
}

const credentials = () => ({ credential: owner.credential.value, key: owner.key });
const startRequestTo = (processID: string, sent: SentRequest = {}): SentRequest => ({
  ...credentials(),
  path: `/v1/processes/${processID}/start`,
  ...sent,
});

const REFUSED_REQUESTS: [fault: string, sent: () => SentRequest, code: ErrorCode][] = [
  ['no credential', () => startRequestTo(owner.processID, { credential: undefined }), 'MISSING_CREDENTIAL'],
  [
    'an unknown credential',
    () => startRequestTo(owner.processID, { credential: `${owner.credential.value.slice(0, -3)}xyz` }),
    'INVALID_CREDENTIAL',
  ],
  ['a revoked credential', () => startRequestTo(owner.processID, { credential: wrong.revoked }), 'CREDENTIAL_REVOKED'],
  [
    'a plan without API access',
    () => startRequestTo(owner.processID, { credential: wrong.withoutApiAccess }),
    'PLAN_FEATURE_UNAVAILABLE',
  ],
  ['no request left', () => startRequestTo(owner.processID, { credential: wrong.spent }), 'RATE_LIMITED'],
  ['no key', () => startRequestTo(owner.processID, { key: undefined }), 'MISSING_PROCESS_KEY'],
  ['a malformed id', () => startRequestTo('orders'), 'INVALID_PROCESS_ID'],
  ['no such process', () => startRequestTo(uuid()), 'PROCESS_NOT_FOUND'],
  ['a process of another account', () => startRequestTo(other.processID), 'FORBIDDEN'],
  ['the key of another process', () => startRequestTo(owner.processID, { key: other.key }), 'INVALID_PROCESS_KEY'],
  ['a share without execute', () => startRequestTo(owner.processID, { credential: wrong.guest }), 'FORBIDDEN'],
  ['no key for a schedule', () => ({ ...credentials(), path: '/v1/schedules', key: undefined }), 'MISSING_PROCESS_KEY'],
  [
    'a schedule that is not there',
    () => ({ ...credentials(), path: `/v1/schedules/${uuid()}`, method: 'PATCH' }),
    'SCHEDULE_NOT_FOUND',
  ],
];

const headersOf = ({ credential, key }: SentRequest) => ({
  ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
  ...(key === undefined ? {} : { 'X-Process-Key': key }),
});

async function send(
  { method = 'POST', path = '', ...sent }: SentRequest,
  [, body, headers]: (typeof MALFORMED_BODIES)[number],
) {
  const response = await fetch(world.gateway.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headersOf(sent), ...headers },
    body: body(),
    duplex: 'half',
  });
  return { status: response.status, body: await response.json() };
}

describe.each(MALFORMED_BODIES)('the body is %s', (...body) => {
  test.each(REFUSED_REQUESTS)('a malformed body does not change the refusal of %s', async (_, sent, code) => {
    expect(await send(sent(), body)).toMatchObject({ status: new ApiError(code).status, body: { error: { code } } });
  });

  test('a malformed body is refused when nothing else is wrong', async () => {
    const code = body[0].includes('charset') ? 'UNSUPPORTED_CHARSET' : 'BAD_REQUEST';
    receivedRequests.length = 0;
    for (const sent of [startRequestTo(owner.processID), { ...credentials(), path: '/v1/schedules' }]) {
      expect(await send(sent, body)).toMatchObject({ body: { error: { code } } });
    }
    expect(receivedRequests).toEqual([]);
  });
});

test.each(REFUSED_REQUESTS)(
  'a request that is refused for %s is answered before its body arrives',
  async (_, sent, code) => {
    const { method = 'POST', path, ...credential } = sent();
    const { hostname, port } = new URL(world.gateway.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const lines = Object.entries({ Host: 'x', 'Content-Length': '100', ...headersOf(credential) });
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{"a":`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain(`HTTP/1.1 ${new ApiError(code).status} `);
    // The gateway is still reading the body when the connection breaks.
    socket.destroy();
    await once(socket, 'close');
  },
);
