import { Store } from '@batuta/database';
import { waitUntil } from '../../../../test/support/wait-until';
import { createWorld, asRecord, type ConsoleWorld } from '../../test/world';
import { createConsole } from '../app';

const CALLS_PER_MINUTE = 5;

let world: ConsoleWorld;
let second: { url: string; close(): Promise<void> };
beforeAll(async () => {
  world = await createWorld({ CALLS_PER_MINUTE: String(CALLS_PER_MINUTE), COMPANY_CALLS_FACTOR: '2' });
  second = await createConsole(world.config);
});
afterAll(async () => {
  await second?.close();
  await world?.close();
});

test('an account is limited to the calls per minute of the setting, over two replicas; other accounts and operators are not affected', async () => {
  const [ana, ben] = [await world.addPerson(), await world.addPerson()];
  const replicas = [ana, world.client(ana.token, second.url)];
  const calls = async () => {
    const answers = [];
    for (let n = 0; n < 3 * CALLS_PER_MINUTE; n += 1) answers.push(await replicas[n % 2]?.call('GET', '/environments'));
    return answers.flatMap((answer) => answer ?? []);
  };
  const answers = await calls();
  const admitted = answers.filter(({ status }) => status === 200);
  // A new minute may begin between the calls, which resets the count.
  expect(admitted.length).toBeGreaterThanOrEqual(CALLS_PER_MINUTE);
  expect(admitted.length).toBeLessThanOrEqual(2 * CALLS_PER_MINUTE);
  const refused = answers.find(({ status }) => status === 429);
  expect(asRecord(refused?.body.error)).toEqual({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/more than 5 calls in a minute.*CALLS_PER_MINUTE/i),
  });
  expect(refused?.headers.get('ratelimit-policy')).toBe(`"default";q=${CALLS_PER_MINUTE};w=60`);
  expect(refused?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await ben.call('GET', '/environments')).headers.get('ratelimit')).toMatch(/^"default";r=4;/);
  for (let n = 0; n <= CALLS_PER_MINUTE; n += 1) await world.operator.must('GET', '/plans');
});

test('the accounts of a company share its calls per minute, and another company is not affected', async () => {
  const companyID = await world.addCompany();
  const people = await Promise.all(Array.from({ length: 5 }, () => world.addPerson({ companyID })));
  const other = await world.addPerson();
  const answers = [];
  for (let n = 0; n < 5 * CALLS_PER_MINUTE; n += 1) {
    const person = people[n % people.length];
    if (person) answers.push(await person.call('GET', '/environments'));
  }
  const admitted = answers.filter(({ status }) => status === 200).length;
  // A new minute may begin between the calls, which resets the count.
  expect(admitted).toBeGreaterThanOrEqual(2 * CALLS_PER_MINUTE);
  expect(admitted).toBeLessThanOrEqual(4 * CALLS_PER_MINUTE);
  const refused = answers.find(({ status }) => status === 429);
  expect(asRecord(refused?.body.error)).toEqual({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/more than 10 calls in a minute with all accounts.*COMPANY_CALLS_FACTOR/i),
  });
  expect(refused?.headers.get('ratelimit-policy')).toBe(`"company";q=${2 * CALLS_PER_MINUTE};w=60`);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await other.call('GET', '/environments')).status).toBe(200);
});

test('a refusal is repeated without a statement, and not for another session of the account', async () => {
  const ana = await world.addPerson();
  const { body } = await world.anonymous.call('POST', '/session', { email: ana.email, password: ana.password });
  const otherSession = world.client(String(body.token));
  const rows = jest.spyOn(Store.prototype, 'rows');
  const statementsOf = async (session: typeof otherSession) => {
    rows.mockClear();
    const { status } = await session.call('GET', '/environments');
    return { status, sessionReads: rows.mock.calls.filter(([sql]) => sql.includes('login_session')).length };
  };
  // A refusal is remembered for one second only, and on a slow machine a call may take longer, so the test tries again.
  await waitUntil('a refusal without a statement', async () => {
    const { status, sessionReads } = await statementsOf(ana);
    return status === 429 && sessionReads === 0;
  });
  expect(await statementsOf(otherSession)).toMatchObject({ sessionReads: 1 });
  rows.mockRestore();
});
