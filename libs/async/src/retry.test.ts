import { retryUntilAborted } from './retry';

const backoff = { first: 1, longest: 2 };
const transient = new Error('transient');
const isTransient = (error: unknown) => error === transient;

test('a transient error is retried until an attempt succeeds', async () => {
  const retried: unknown[] = [];
  const results = [() => Promise.reject(transient), () => Promise.reject(transient), () => Promise.resolve('done')];
  const attempt = () => results.shift()?.() ?? Promise.reject(new Error('one attempt too many'));
  const { signal } = new AbortController();
  const result = await retryUntilAborted(attempt, { backoff, signal, isTransient, onRetry: (e) => retried.push(e) });
  expect([result, retried]).toEqual(['done', [transient, transient]]);
});

test('an error that is not transient is thrown after one attempt', async () => {
  const attempt = jest.fn(() => Promise.reject(new Error('final')));
  const { signal } = new AbortController();
  await expect(retryUntilAborted(attempt, { backoff, signal, isTransient })).rejects.toThrow('final');
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('the result is undefined and no attempt is made when the signal has aborted', async () => {
  const attempt = jest.fn(() => Promise.resolve('done'));
  expect(await retryUntilAborted(attempt, { backoff, signal: AbortSignal.abort(), isTransient })).toBeUndefined();
  expect(attempt).not.toHaveBeenCalled();
});

test('an abort during an attempt that fails ends the retries without a pause', async () => {
  const abort = new AbortController();
  const onRetry = jest.fn();
  const attempt = () => {
    abort.abort();
    return Promise.reject(transient);
  };
  expect(await retryUntilAborted(attempt, { backoff, signal: abort.signal, isTransient, onRetry })).toBeUndefined();
  expect(onRetry).not.toHaveBeenCalled();
});

test('an abort ends the pause between two attempts', async () => {
  const abort = new AbortController();
  const attempt = () => Promise.reject(transient);
  const slow = { first: 600_000, longest: 600_000 };
  const onRetry = () => void setImmediate(() => abort.abort());
  expect(
    await retryUntilAborted(attempt, { backoff: slow, signal: abort.signal, isTransient, onRetry }),
  ).toBeUndefined();
});
