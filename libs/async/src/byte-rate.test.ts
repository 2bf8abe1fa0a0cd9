import { ByteRate } from './byte-rate';

const clock = { now: 0 };
const createRate = () => new ByteRate({ bytesPerSecond: 1_000, burstBytes: 2_000 }, () => clock.now);

beforeEach(() => {
  clock.now = 1_000_000;
});

test('bytes do not wait while the bytes taken before are within the burst, and otherwise wait until they are within it again', () => {
  const rate = createRate();
  expect(rate.take('a', 2_000)).toBe(0);
  expect(rate.take('a', 500)).toBe(0);
  expect(rate.take('a', 500, 1_000)).toBe(500);
  expect(rate.waitMs('a')).toBe(1_000);
  clock.now += 1_000;
  expect(rate.take('a', 1)).toBe(0);
});

test('a request whose turn would come too late takes no bytes', () => {
  const rate = createRate();
  rate.take('a', 5_000);
  expect(rate.take('a', 100, 2_999)).toBeUndefined();
  expect(rate.waitMs('a')).toBe(3_000);
});

test('the bytes of a tenant cost no other tenant a wait', () => {
  const rate = createRate();
  rate.take('a', 1_000_000);
  expect(rate.take('b', 100)).toBe(0);
});

test('the wait for bytes includes that for bytes which the tenant will take before them', () => {
  const rate = createRate();
  expect(rate.waitMs('a', 2_000)).toBe(0);
  expect(rate.waitMs('a', 5_000)).toBe(3_000);
  rate.take('a', 4_000);
  expect(rate.waitMs('a', 500)).toBe(2_500);
});

test('tenants whose buckets are full are forgotten', () => {
  const rate = createRate();
  for (let tenant = 0; tenant < 10_000; tenant += 1) rate.take(`t${tenant}`, 1_000);
  clock.now += 1_000;
  rate.take('another', 1);
  expect(Reflect.get(rate, 'fullAt')).toHaveProperty('size', 1);
});
