import { retryAfterSeconds } from './retry-after';

const NOW = Date.UTC(2026, 0, 5, 12);

test.each([
  [undefined, 0],
  [null, 0],
  ['', 0],
  ['0', 0],
  ['120', 120],
  ['Mon, 05 Jan 2026 12:00:45 GMT', 45],
  ['Mon, 05 Jan 2026 11:59:00 GMT', 0],
  ['soon', 0],
  ['-5', 0],
])('Retry-After: %s asks for a wait of %d seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});

test('a time between two whole seconds is awaited whole', () => {
  expect(retryAfterSeconds('Mon, 05 Jan 2026 12:00:45 GMT', NOW + 500)).toBe(45);
});
