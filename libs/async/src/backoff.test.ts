import { backoffMilliseconds } from './backoff';

const BACKOFF = { first: 100, longest: 1_000 };

test.each([
  [1, 100],
  [2, 200],
  [3, 400],
  [4, 800],
  [5, 1_000],
  [1_000, 1_000],
])('after %i failures the longest pause is %i ms', (failures, most) => {
  expect(backoffMilliseconds(failures, BACKOFF, 1)).toBe(most);
});

test('jitter shortens a pause by at most one half', () => {
  expect(backoffMilliseconds(3, BACKOFF, 0)).toBe(200);
});
