import { retry } from './retry';
import { retryUntilAborted } from './retry-until-aborted';

const BACKOFF = { first: 1, longest: 2 };
const TRANSIENT_ERROR = new Error('transient');
const isTransient = (error: unknown) => error === TRANSIENT_ERROR;

test('a transient error is retried until an attempt succeeds', async () => {
  const retried: unknown[] = [];
  const results = [
    () => Promise.reject(TRANSIENT_ERROR),
    () => Promise.reject(TRANSIENT_ERROR),
    () => Promise.resolve('done'),
  ];
  const attempt = () => results.shift()?.() ?? Promise.reject(new Error('one attempt too many'));
  const { signal } = new AbortController();
  const result = await retryUntilAborted(attempt, {
    backoff: BACKOFF,
    signal,
    isTransient,
    onRetry: (e) => retried.push(e),
  });
  expect([result, retried]).toEqual(['done', [TRANSIENT_ERROR, TRANSIENT_ERROR]]);
});

test('an error that is not transient is thrown after one attempt', async () => {
  const attempt = jest.fn(() => Promise.reject(new Error('final')));
  const { signal } = new AbortController();
  await expect(retryUntilAborted(attempt, { backoff: BACKOFF, signal, isTransient })).rejects.toThrow('final');
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('the result is undefined and no attempt is made when the signal has aborted', async () => {
  const attempt = jest.fn(() => Promise.resolve('done'));
  expect(
    await retryUntilAborted(attempt, { backoff: BACKOFF, signal: AbortSignal.abort(), isTransient }),
  ).toBeUndefined();
  expect(attempt).not.toHaveBeenCalled();
});

test('an abort during an attempt that fails ends the retries without a pause', async () => {
  const abort = new AbortController();
  const onRetry = jest.fn();
  const attempt = () => {
    abort.abort();
    return Promise.reject(TRANSIENT_ERROR);
  };
  expect(
    await retryUntilAborted(attempt, { backoff: BACKOFF, signal: abort.signal, isTransient, onRetry }),
  ).toBeUndefined();
  expect(onRetry).not.toHaveBeenCalled();
});

test('an abort ends the pause between two attempts', async () => {
  const abort = new AbortController();
  const attempt = () => Promise.reject(TRANSIENT_ERROR);
  const slow = { first: 600_000, longest: 600_000 };
  const onRetry = () => void setImmediate(() => abort.abort());
  expect(
    await retryUntilAborted(attempt, { backoff: slow, signal: abort.signal, isTransient, onRetry }),
  ).toBeUndefined();
});

test('a policy decides after each failure how long to wait, and its end of the retries throws the last error', async () => {
  const waited: number[] = [];
  const numbers: number[] = [];
  const attempt = async (number: number) => {
    numbers.push(number);
    throw new Error(`attempt ${number}`);
  };
  const retried = retry(attempt, {
    pauseAfter: (_error, failures) => (failures < 3 ? (failures - 1) * 10 : undefined),
    wait: async (milliseconds) => waited.push(milliseconds),
  });
  await expect(retried).rejects.toThrow('attempt 3');
  expect([numbers, waited]).toEqual([[1, 2, 3], [10]]);
});

test('retries end with the error of the wait when a wait between attempts is interrupted', async () => {
  const attempt = jest.fn(() => Promise.reject(TRANSIENT_ERROR));
  const wait = () => Promise.reject(new Error('stopped'));
  await expect(retry(attempt, { pauseAfter: () => 1, wait })).rejects.toThrow('stopped');
  expect(attempt).toHaveBeenCalledTimes(1);
});
