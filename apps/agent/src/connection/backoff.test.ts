import { backoffMilliseconds } from './backoff';

const settings = { firstMilliseconds: 500, mostMilliseconds: 30_000, refusedMilliseconds: 60_000 };

test.each([
  [0, 0, 250],
  [0, 0.999, 500],
  [3, 0, 2_000],
  [10, 0, 15_000],
  [1_000_000, 0.999, 30_000],
])('after %i failures and with the chance %f the pause is about %i ms', (failures, random, pause) => {
  expect(Math.abs(backoffMilliseconds(failures, settings, random) - pause)).toBeLessThan(50);
});
