import { FailureThrottle } from './failure-throttle';

test('a key with too many failures waits for the rest of its minute, and other keys do not wait', () => {
  const throttle = new FailureThrottle(2);
  throttle.recordFailure(['address a'], 1_000);
  expect(throttle.waitMsOf(['address a'], 1_000)).toBe(0);
  throttle.recordFailure(['address a'], 2_000);
  expect(throttle.waitMsOf(['address a'], 3_000)).toBe(58_000);
  expect(throttle.waitMsOf(['address b'], 3_000)).toBe(0);
  expect(throttle.waitMsOf(['address a'], 61_000)).toBe(0);
});

test('of several keys the longest wait counts, and a failure counts for each of them', () => {
  const throttle = new FailureThrottle(2);
  throttle.recordFailure(['address a', 'email x'], 0);
  throttle.recordFailure(['address b', 'email x'], 30_000);
  expect(throttle.waitMsOf(['address c', 'email x'], 59_999)).toBe(1);
  expect(throttle.waitMsOf(['address a', 'email y'], 59_999)).toBe(0);
});

test('in a new minute a key has no failures', () => {
  const throttle = new FailureThrottle(2);
  throttle.recordFailure(['a'], 0);
  throttle.recordFailure(['a'], 60_000);
  expect(throttle.waitMsOf(['a'], 60_000)).toBe(0);
});

test('failures from before the clock was set back do not make a key wait, and later ones are counted anew', () => {
  const throttle = new FailureThrottle(2);
  for (let n = 0; n < 2; n += 1) throttle.recordFailure(['a'], 3_600_000);
  expect(throttle.waitMsOf(['a'], 60_000)).toBe(0);
  for (let n = 0; n < 2; n += 1) throttle.recordFailure(['a'], 60_000);
  expect(throttle.waitMsOf(['a'], 60_000)).toBe(60_000);
});
