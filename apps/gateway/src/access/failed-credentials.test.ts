import { FailedCredentials } from './failed-credentials';

test('an address waits once it has used up its number, until the minute ends; others do not', () => {
  let now = 60_000;
  const failures = new FailedCredentials(2, () => now);
  failures.record('a');
  expect(failures.waitSeconds('a')).toBe(0);
  failures.record('a');
  now = 75_500;
  expect([failures.waitSeconds('a'), failures.waitSeconds('b')]).toEqual([45, 0]);
  now = 120_000;
  expect(failures.waitSeconds('a')).toBe(0);
  failures.record('a');
  expect(failures.waitSeconds('a')).toBe(0);
});
