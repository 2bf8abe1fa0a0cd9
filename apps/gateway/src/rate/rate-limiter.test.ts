import { openStore, type Store } from '@batuta/database';
import { AllowanceRepository, RateLimiter } from '@batuta/rate';
import { createGateway, type RunningGateway } from '../app';
import { callGateway, createTenant, startWorld, type GatewayWorld } from '../../test/world';

const MINUTE_MS = 60_000;
let now = 1_000 * MINUTE_MS + 20_500;
const clock = () => now;
let world: GatewayWorld;
let second: RunningGateway;
let store: Store;

beforeAll(async () => {
  world = await startWorld({}, () => now);
  second = await createGateway(world.config, () => now);
  store = await openStore({ url: world.config.DATABASE_URL, pool: 4 });
});

afterAll(async () => {
  await second?.close();
  await store?.close();
  await world?.close();
});

const createLimiter = () => new RateLimiter(new AllowanceRepository(store, MINUTE_MS), clock);
const takeMany = (limiters: RateLimiter[], subject: string, limit: number, times: number) =>
  Promise.all(Array.from({ length: times }, () => limiters.map((limiter) => limiter.take({ subject, limit }))).flat());
const allowedOf = (answers: { granted: boolean }[]) => answers.filter((answer) => answer.granted).length;

test.each([1, 7, 19, 20, 100, 333])(
  'two replicas never grant more than %i requests in a window, and a single one grants that many',
  async (limit) => {
    const shared = allowedOf(await takeMany([createLimiter(), createLimiter()], `two-${limit}`, limit, 3 * limit));
    expect(shared).toBeLessThanOrEqual(limit);
    expect(shared).toBeGreaterThan(0);
    expect(allowedOf(await takeMany([createLimiter()], `one-${limit}`, limit, 3 * limit))).toBe(limit);
  },
);

test('a subject without requests left gets new ones with the next minute', async () => {
  const limiter = createLimiter();
  await takeMany([limiter], 'next', 5, 5);
  expect(await limiter.take({ subject: 'next', limit: 5 })).toEqual({
    subject: 'next',
    granted: false,
    limit: 5,
    remaining: 0,
    resetSeconds: 40,
    resetAt: now + 39_500,
  });
  now += MINUTE_MS;
  expect(await limiter.take({ subject: 'next', limit: 5 })).toMatchObject({ granted: true, remaining: 4 });
});

test('a higher limit applies at once, a lower one to requests that are not leased yet', async () => {
  const limiter = createLimiter();
  await takeMany([limiter], 'raised', 2, 3);
  expect(allowedOf(await takeMany([limiter], 'raised', 4, 4))).toBe(2);
  expect(allowedOf(await takeMany([limiter], 'raised', 3, 1))).toBe(0);
});

test('after a change of the limit, remaining is computed with the new limit and includes requests that the replica leased under the earlier one', async () => {
  const limiter = createLimiter();
  const take = (limit: number) => limiter.take({ subject: 'changed', limit });
  expect(await take(100)).toMatchObject({ limit: 100, remaining: 99 });
  expect(await take(3)).toMatchObject({ limit: 3, remaining: 3 });
  expect(await take(40)).toMatchObject({ limit: 40, remaining: 37 });
  expect(await take(200)).toMatchObject({ limit: 200, remaining: 196 });
});

test('a request counts against all of its limits or against none, and the answer is about the limit with the fewest requests left', async () => {
  const limiter = createLimiter();
  const company = { subject: 'both', limit: 3, name: 'company' };
  const take = (subject: string) => limiter.take({ subject, limit: 2 }, company);
  expect(await take('one')).toMatchObject({ granted: true, subject: 'one', remaining: 1 });
  expect(await take('one')).toMatchObject({ granted: true, subject: 'one', remaining: 0 });
  // The request is refused by the credential's own limit, so the company's last request stays unused.
  expect(await take('one')).toMatchObject({ granted: false, subject: 'one' });
  expect(await take('two')).toMatchObject({ granted: true, name: 'company', remaining: 0 });
  expect(await take('two')).toMatchObject({ granted: false, name: 'company', limit: 3 });
  // The request that the company's limit refused does not count against the credential's limit.
  expect(await limiter.take({ subject: 'two', limit: 2 })).toMatchObject({ granted: true, remaining: 0 });
});

test('a limit above the largest number of the database is treated as that number', async () => {
  const answer = await createLimiter().take({ subject: 'huge', limit: 60_000_000_000 });
  expect(answer).toMatchObject({ granted: true, remaining: 2_147_483_646 });
});

test('a subject without requests left causes no more statements', async () => {
  const allowances = new AllowanceRepository(store, MINUTE_MS);
  const lease = jest.spyOn(allowances, 'lease');
  const limiter = new RateLimiter(allowances, clock);
  await takeMany([limiter], 'quiet', 100, 200);
  const leases = lease.mock.calls.length;
  expect(leases).toBeLessThanOrEqual(20);
  await takeMany([limiter], 'quiet', 100, 200);
  expect(lease.mock.calls.length).toBeLessThanOrEqual(leases + 1);
});

test('the sweep deletes only past windows', async () => {
  await createLimiter().take({ subject: 'old', limit: 5 });
  now += 10 * MINUTE_MS;
  const limiter = createLimiter();
  await limiter.take({ subject: 'young', limit: 5 });
  await limiter.sweep();
  const rows = await store.rows('SELECT subject FROM rate_allowance');
  expect(rows).toEqual([{ subject: 'young' }]);
});

test('over two gateways a credential gets no more requests than its plan allows, with headers that say so', async () => {
  const { registry } = world;
  const { companyID } = await registry.addCompany({ requestsPerMinute: 6 });
  const { accountID } = await registry.addAccount({ companyID });
  const { value } = await registry.addCredential(accountID);
  const urls = [world.gateway.url, second.url];
  const responses = [];
  for (let n = 0; n < 12; n += 1) {
    responses.push(await callGateway(urls[n % 2] ?? '', 'get', '/v1/me', { credential: value }));
  }
  expect(responses.map(({ status }) => status)).toEqual([...Array(6).fill(200), ...Array(6).fill(429)]);
  expect(responses[0]?.headers).toMatchObject({
    'ratelimit-policy': '"default";q=6;w=60',
    ratelimit: '"default";r=5;t=40',
  });
  expect(responses[0]?.headers['retry-after']).toBeUndefined();
  expect(responses[11]?.headers).toMatchObject({ ratelimit: '"default";r=0;t=40', 'retry-after': '40' });
  expect(responses[11]?.body.error.code).toBe('RATE_LIMITED');
});

test('all credentials of a company together get three times the number of its plan, over two gateways, and the headers say so', async () => {
  now += MINUTE_MS;
  const { registry } = world;
  const { companyID } = await registry.addCompany({ requestsPerMinute: 2 });
  const { accountID } = await registry.addAccount({ companyID });
  const responses = [];
  for (let n = 0; n < 4; n += 1) {
    const { value: credential } = await registry.addCredential(accountID);
    const url = n % 2 ? second.url : world.gateway.url;
    for (let repeat = 0; repeat < 2; repeat += 1)
      responses.push(await callGateway(url, 'get', '/v1/me', { credential }));
  }
  expect(responses.map(({ status }) => status)).toEqual([...Array(6).fill(200), 429, 429]);
  expect(responses[0]?.headers['ratelimit-policy']).toBe('"default";q=2;w=60');
  expect(responses[7]?.headers).toMatchObject({
    'ratelimit-policy': '"company";q=6;w=60',
    ratelimit: expect.stringMatching(/^"company";r=0;t=\d+$/),
    'retry-after': expect.stringMatching(/^\d+$/),
  });
  expect(responses[7]?.body.error).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining('all credentials of the company'),
  });
});

test('a refusal after the rate step also carries the rate headers', async () => {
  const tenant = await createTenant(world.registry);
  const response = await callGateway(world.gateway.url, 'get', '/v1/processes/x', {
    credential: tenant.credential.value,
    key: tenant.key,
  });
  expect([response.status, response.headers['ratelimit-policy']]).toEqual([400, '"default";q=10000;w=60']);
});
