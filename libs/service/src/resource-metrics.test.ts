import type { PoolWatcher, Store } from '@batuta/database';
import { Metrics, type Logger } from '@batuta/observability';
import { watchPool } from './resource-metrics';

const error = jest.fn();
let watcher: PoolWatcher;

beforeEach(() => {
  jest.useFakeTimers();
  error.mockClear();
  const store: Store = Object.assign(Object.create(null), { watchPool: (given: PoolWatcher) => (watcher = given) });
  const logger: Logger = Object.assign(Object.create(null), { error });
  watchPool(store, new Metrics('test'), logger);
});

afterEach(() => jest.useRealTimers());

test('a password that the database refuses is logged once a minute, however many calls try to connect', () => {
  const refusal = new Error('ER_ACCESS_DENIED_ERROR');
  watcher.passwordRefused(refusal);
  jest.advanceTimersByTime(59_999);
  watcher.passwordRefused(refusal);
  expect(error).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledWith({ err: refusal }, expect.stringContaining('refuses the password'));
  jest.advanceTimersByTime(1);
  watcher.passwordRefused(refusal);
  expect(error).toHaveBeenCalledTimes(2);
});
