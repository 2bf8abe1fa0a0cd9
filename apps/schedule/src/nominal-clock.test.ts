import { openStore, type Store } from '@batuta/database';
import { createTestDatabase } from '../../../test/support/servers';
import { readScheduleConfig } from './config';
import { NominalClock } from './nominal-clock';

let database: { url: string; drop(): Promise<void> };
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  store = await openStore({ url: database.url, pool: 1 });
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

test('without the setting the nominal clock is the database’s own clock', async () => {
  const { now, real } = await NominalClock.fromSetting(undefined).read(store);
  expect(now).toEqual(real);
});

test.each([1, 20, 60])('the test clock shows the real time at its instant and runs %i times as fast', async (speed) => {
  const hour = 3_600_000;
  const start = new Date(Date.now() - hour);
  const { now, real } = await NominalClock.fromSetting(`${start.toISOString()}@${speed}`).read(store);
  const passed = real.getTime() - start.getTime();
  expect(Math.abs(now.getTime() - start.getTime() - passed * speed)).toBeLessThanOrEqual(speed);
});

test.each(['now@60', '2026-11-20@60', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z@fast', "2026'@1"])(
  'SCHEDULE_TEST_CLOCK refuses %j',
  (SCHEDULE_TEST_CLOCK) => {
    const env = { DATABASE_URL: database.url, NATS_URL: 'nats://127.0.0.1:4222' };
    expect(readScheduleConfig(env).SCHEDULE_TEST_CLOCK).toBeUndefined();
    expect(() => readScheduleConfig({ ...env, SCHEDULE_TEST_CLOCK })).toThrow(/SCHEDULE_TEST_CLOCK/);
  },
);
