import type { PoolWatcher, Store } from '@batuta/database';
import type { Rpc } from '@batuta/messaging';
import { Metrics, type Logger } from '@batuta/observability';
import { watchNats, watchPool } from './resource-metrics';

const error = jest.fn();
let watcher: PoolWatcher;
let metrics: Metrics;
const database: { certificateEnd?: number } = {};

beforeEach(() => {
  jest.useFakeTimers();
  error.mockClear();
  const store: Store = Object.assign(Object.create(null), {
    watchPool: (given: PoolWatcher) => (watcher = given),
    poolState: database,
  });
  const rpc: Rpc = Object.assign(Object.create(null), { connected: true, certificateEnd: Date.now() + 60_000 });
  const logger: Logger = Object.assign(Object.create(null), { error });
  metrics = new Metrics('test');
  watchPool(store, metrics, logger);
  watchNats(rpc, metrics);
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

test('the metrics say how long the certificates of the database and of NATS are valid, and NaN without a certificate', async () => {
  const left = async (server: string) =>
    (await metrics.registry.getSingleMetric(`batuta_${server}_certificate_left_seconds`)?.get())?.values[0]?.value;
  expect(await left('nats')).toBe(60);
  expect(await left('database')).toBeNaN();
  database.certificateEnd = Date.now() - 1_000;
  expect(await left('database')).toBe(-1);
});
