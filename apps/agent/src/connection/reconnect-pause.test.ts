import { attemptLimitMs, reconnectPauseMs, RECONNECT_DEFAULTS } from './reconnect-pause';

const firstLoss = { refusedBy: undefined, retryAfterMs: 0, failures: 1, graceMs: undefined };

test.each([
  [1, 0, 250],
  [1, 0.999, 500],
  [4, 0, 2_000],
  [11, 0, 15_000],
  [1_000_001, 0.999, 30_000],
])('after %i failures and with the random number %f the pause is about %i ms', (failures, random, pause) => {
  expect(Math.abs(reconnectPauseMs({ ...firstLoss, failures }, RECONNECT_DEFAULTS, random) - pause)).toBeLessThan(50);
});

test('an agent that holds instances pauses at most a quarter of its grace period', () => {
  expect(reconnectPauseMs({ ...firstLoss, failures: 11, graceMs: 8_000 }, RECONNECT_DEFAULTS, 1)).toBe(2_000);
});

test.each([
  [20_000, 20_500],
  [3_600_000, 60_500],
])('an agent that a router asks to wait %i ms pauses %i ms', (retryAfterMs, pause) => {
  const after = reconnectPauseMs({ ...firstLoss, retryAfterMs }, RECONNECT_DEFAULTS, 1);
  expect(after).toBe(pause);
});

test('an agent that holds instances does not wait as long as a router asks', () => {
  const loss = { ...firstLoss, retryAfterMs: 20_000, failures: 11, graceMs: 8_000 };
  expect(reconnectPauseMs(loss, RECONNECT_DEFAULTS, 1)).toBe(2_000);
});

test.each(['router', 'proxy'] as const)('an agent that a %s refuses pauses for a minute', (refusedBy) => {
  expect(reconnectPauseMs({ ...firstLoss, refusedBy }, RECONNECT_DEFAULTS, 0)).toBe(60_000);
});

test.each([
  ['proxy', 8, 2_000],
  ['proxy', 1_000, 2_000],
  ['router', 1, 60_000],
] as const)(
  'an agent that holds instances and that a %s refuses pauses after %i failures for %i ms',
  (refusedBy, failures, pause) => {
    expect(reconnectPauseMs({ ...firstLoss, refusedBy, failures, graceMs: 8_000 }, RECONNECT_DEFAULTS, 1)).toBe(pause);
  },
);

test.each([
  [1, 2_500],
  [2, 5_000],
  [4, 10_000],
  [1_000, 10_000],
])('an agent that holds instances gives up an attempt after %i failures in %i ms', (failures, limit) => {
  expect(attemptLimitMs(failures, true)).toBe(limit);
});

test.each([0, 1])('an agent without instances gives up an attempt after %i failures in 10 s', (failures) => {
  expect(attemptLimitMs(failures, false)).toBe(10_000);
});
