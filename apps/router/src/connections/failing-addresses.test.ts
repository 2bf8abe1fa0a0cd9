import { FailingAddresses } from './failing-addresses';

test('an address waits for the rest of its minute once it failed too often; others do not', () => {
  const failing = new FailingAddresses(2);
  failing.failed('1.1.1.1', 1_000);
  expect(failing.waitOf('1.1.1.1', 1_000)).toBe(0);
  failing.failed('1.1.1.1', 2_000);
  expect(failing.waitOf('1.1.1.1', 3_000)).toBe(58_000);
  expect(failing.waitOf('2.2.2.2', 3_000)).toBe(0);
  expect(failing.waitOf('1.1.1.1', 61_000)).toBe(0);
});

test('a new minute counts anew', () => {
  const failing = new FailingAddresses(2);
  failing.failed('1.1.1.1', 0);
  failing.failed('1.1.1.1', 60_000);
  expect(failing.waitOf('1.1.1.1', 60_000)).toBe(0);
});
