import { Store } from '@batuta/database';
import { createWorld, asRecord, type ConsoleWorld } from '../../test/world';
import { createConsole } from '../app';

const CALLS_PER_MINUTE = 5;

let world: ConsoleWorld;
let second: { url: string; close(): Promise<void> };
beforeAll(async () => {
  world = await createWorld({ CALLS_PER_MINUTE: String(CALLS_PER_MINUTE) });
  second = await createConsole(world.config);
});
afterAll(async () => {
  await second?.close();
  await world?.close();
});

test('an account is limited to the calls per minute of the setting, over two replicas; other accounts and operators are not affected', async () => {
  const [ana, ben] = [await world.person(), await world.person()];
  const replicas = [ana, world.client(ana.token, second.url)];
  const calls = async () => {
    const answers = [];
    for (let n = 0; n < 3 * CALLS_PER_MINUTE; n += 1) answers.push(await replicas[n % 2]?.call('GET', '/environments'));
    return answers.flatMap((answer) => answer ?? []);
  };
  const answers = await calls();
  const admitted = answers.filter(({ status }) => status === 200);
  // The minute may change between the calls, which resets the count.
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

/** Runs the check again if the minute changed meanwhile, which ends the refusals. */
async function inOneMinute(check: () => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  const began = minute();
  await check().catch((error: unknown) => {
    if (minute() === began) throw error;
    return inOneMinute(check);
  });
}

test('a refusal is repeated without a statement, and not for another session of the account', () =>
  inOneMinute(async () => {
    const ana = await world.person();
    const { body } = await world.anonymous.call('POST', '/session', { email: ana.email, password: ana.password });
    const otherSession = world.client(String(body.token));
    for (let refused = false; !refused;) refused = (await ana.call('GET', '/environments')).status === 429;
    const rows = jest.spyOn(Store.prototype, 'row');
    try {
      expect(await ana.refusal('GET', '/environments')).toMatchObject({ error: '429 RATE_LIMITED' });
      expect(rows).not.toHaveBeenCalled();
      expect(await otherSession.refusal('GET', '/environments')).toMatchObject({ error: '429 RATE_LIMITED' });
      expect(rows).toHaveBeenCalled();
    } finally {
      rows.mockRestore();
    }
  }));
