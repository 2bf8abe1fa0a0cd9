import { reconnectPauseMs, RECONNECT_DEFAULTS } from './reconnect-pause';

const firstLoss = { refused: false, failures: 1, graceMs: undefined };

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

test('an agent that is refused pauses for a minute', () => {
  expect(reconnectPauseMs({ ...firstLoss, refused: true }, RECONNECT_DEFAULTS, 0)).toBe(60_000);
});
