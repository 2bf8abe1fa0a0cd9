import { LoginThrottle } from './login-throttle';

const refused = expect.objectContaining({ code: 'RATE_LIMITED' });

test('a key that failed too often within a minute is refused, others are not', () => {
  const throttle = new LoginThrottle(2);
  throttle.failed(['address a', 'email x'], 0);
  throttle.failed(['address b', 'email x'], 30_000);
  expect(() => throttle.check(['address c', 'email x'], 59_999)).toThrow(refused);
  expect(() => throttle.check(['address a', 'email y'], 59_999)).not.toThrow();
});

test('the window begins with the first failure and then ends', () => {
  const throttle = new LoginThrottle(1);
  throttle.failed(['email x'], 1_000);
  expect(() => throttle.check(['email x'], 60_999)).toThrow(refused);
  expect(() => throttle.check(['email x'], 61_000)).not.toThrow();
});
