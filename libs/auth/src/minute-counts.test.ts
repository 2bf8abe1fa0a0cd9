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

test('a key with too many events waits for the rest of its minute, and other keys do not wait', () => {
  const counts = new MinuteCounts(2);
  counts.record(['address a'], 1_000);
  expect(counts.waitMsOf(['address a'], 1_000)).toBe(0);
  counts.record(['address a'], 2_000);
  expect(counts.waitMsOf(['address a'], 3_000)).toBe(58_000);
  expect(counts.waitMsOf(['address b'], 3_000)).toBe(0);
  expect(counts.waitMsOf(['address a'], 61_000)).toBe(0);
});

test('of several keys the longest wait counts, and an event counts for each of them', () => {
  const counts = new MinuteCounts(2);
  counts.record(['address a', 'email x'], 0);
  counts.record(['address b', 'email x'], 30_000);
  expect(counts.waitMsOf(['address c', 'email x'], 59_999)).toBe(1);
  expect(counts.waitMsOf(['address a', 'email y'], 59_999)).toBe(0);
});

test('in a new minute a key has no events', () => {
  const counts = new MinuteCounts(2);
  counts.record(['a'], 0);
  counts.record(['a'], 60_000);
  expect(counts.waitMsOf(['a'], 60_000)).toBe(0);
});

test('events from before the clock was set back do not make a key wait, and later ones are counted anew', () => {
  const counts = new MinuteCounts(2);
  for (let n = 0; n < 2; n += 1) counts.record(['a'], 3_600_000);
  expect(counts.waitMsOf(['a'], 60_000)).toBe(0);
  for (let n = 0; n < 2; n += 1) counts.record(['a'], 60_000);
  expect(counts.waitMsOf(['a'], 60_000)).toBe(60_000);
});
