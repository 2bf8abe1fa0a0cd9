import { Store } from '@batuta/database';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { callGateway, createTenant, startWorld, type GatewayWorld } from '../../test/world';

let now = 1_000 * 60_000;
let world: GatewayWorld;
let rows: jest.SpyInstance<Promise<unknown[]>, [sql: string, parameters?: unknown[]]>;

beforeAll(async () => {
  world = await startWorld({}, () => now);
});
beforeEach(() => {
  now += 60_000;
  rows = jest.spyOn(Store.prototype, 'rows');
});
afterEach(() => rows.mockRestore());
afterAll(() => world?.close());

/** The queries for credentials and webhook URLs since the last `mockClear`. */
const lookups = () => rows.mock.calls.filter(([sql]) => /credential|origin_token/.test(sql)).length;

async function limitedTenant(requestsPerMinute: number) {
  const { companyID } = await world.registry.addCompany({ requestsPerMinute });
  const account = await world.registry.addAccount({ companyID });
  return { account, credential: (await world.registry.addCredential(account.accountID)).value };
}

const readMe = (credential: string) => callGateway(world.gateway.url, 'get', '/v1/me', { credential });

/** Makes two refused calls: from the third one on the gateway repeats a refusal that it remembers. */
async function refuseTwice(call: () => PromiseLike<unknown>): Promise<void> {
  await call();
  await call();
}

test('a refusal of the rate limit is repeated without a statement, in the same words and with the same headers', async () => {
  const { credential } = await limitedTenant(1);
  await readMe(credential).expect(200);
  const first = await readMe(credential).expect(429);
  await readMe(credential).expect(429);
  rows.mockClear();
  const repeated = await readMe(credential).expect(429);
  expect(lookups()).toBe(0);
  expect(repeated.body).toEqual(first.body);
  for (const header of ['ratelimit', 'ratelimit-policy', 'retry-after']) {
    expect([header, repeated.headers[header]]).toEqual([header, first.headers[header]]);
  }
});

test('a second after a refusal of the rate limit the credential is read again, so that its revocation is told', async () => {
  const { credential } = await limitedTenant(0);
  await refuseTwice(() => readMe(credential).expect(429));
  await world.store.write('UPDATE credential SET revoked_at = UTC_TIMESTAMP(3)');
  await readMe(credential).expect(429);
  now += 1_000;
  expect((await readMe(credential).expect(401)).body.error.code).toBe('CREDENTIAL_REVOKED');
});

test('a refusal of the rate limit is not repeated for another credential of the same company, nor for a changed secret', async () => {
  const { account, credential } = await limitedTenant(1);
  await readMe(credential).expect(200);
  await refuseTwice(() => readMe(credential).expect(429));
  const { value: second } = await world.registry.addCredential(account.accountID);
  const answers = [await readMe(second), await readMe(`${credential.slice(0, -3)}xyz`)];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
});

test('the throttle of an address is still checked before a repeated refusal of the rate limit', async () => {
  const { credential } = await limitedTenant(0);
  await refuseTwice(() => readMe(credential).expect(429));
  for (let n = 0; n < world.config.FAILED_CREDENTIALS_PER_MINUTE; n += 1) await readMe('guess').expect(401);
  const { body } = await readMe(credential).expect(429);
  expect(body.error.message).toMatch(/wrong credentials from this address/);
});

test('the body of a start that the rate limit refuses repeatedly is not read', async () => {
  const { credential } = await limitedTenant(0);
  const { processID, key } = await createTenant(world.registry);
  const path = `/v1/processes/${processID}/start`;
  await refuseTwice(() => callGateway(world.gateway.url, 'post', path, { credential, key, body: {} }).expect(429));
  const { hostname, port } = new URL(world.gateway.url);
  const client = connect(Number(port), hostname);
  // The client never sends the body that it announces, and gets its answer nevertheless.
  client.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${credential}\r\nX-Process-Key: ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 500000\r\n\r\n`,
  );
  expect(await text(client)).toMatch(/^HTTP\/1\.1 429 /);
});

test('the refusal of a webhook URL by its rate limit is repeated without a statement, for that URL only', async () => {
  const { account } = await limitedTenant(0);
  const processID = await world.registry.addProcess(account);
  const origin = await world.registry.addOrigin(processID);
  const call = (kind: 'dev' | 'prod', status: number) =>
    callGateway(world.gateway.url, 'post', `/hooks/${processID}/${origin[kind]}`, { body: {} }).expect(status);
  await refuseTwice(() => call('dev', 429));
  rows.mockClear();
  await call('dev', 429);
  expect(lookups()).toBe(0);
  await call('prod', 429);
  expect(lookups()).toBe(1);
});
