import { MinuteCounts } from './minute-counts';

const MAX_COUNTED_KEYS = 50_000;

test.each([
  ['counts the oldest of 50,000 keys', MAX_COUNTED_KEYS - 1, 60_000],
  ['drops the oldest key above 50,000 keys', MAX_COUNTED_KEYS, 0],
])('a replica %s', (_rule, laterKeys, waitMs) => {
  const counts = new MinuteCounts(1);
  counts.record(['oldest'], 0);
  counts.record(
    Array.from({ length: laterKeys }, (_, index) => `key ${index}`),
    0,
  );
  expect(counts.waitMsOf(['oldest'], 0)).toBe(waitMs);
});
