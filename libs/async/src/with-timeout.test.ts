import { untilAborted, withTimeout } from './with-timeout';

const timeoutError = () => new Error('late');

test('work that settles within the time limit settles the same way', async () => {
  expect(await withTimeout(Promise.resolve('done'), 60_000, timeoutError)).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('failed')), 60_000, timeoutError)).rejects.toThrow('failed');
});

test('work that does not settle within the time limit is rejected with the given error', async () => {
  await expect(withTimeout(new Promise(() => {}), 1, timeoutError)).rejects.toThrow('late');
});

test('work is rejected with the given error as soon as the signal aborts, and otherwise settles as it does without a signal', async () => {
  const abort = new AbortController();
  const abortError = () => new Error('stopped');
  expect(await untilAborted(Promise.resolve('done'), abort.signal, abortError)).toBe('done');
  setImmediate(() => abort.abort());
  await expect(untilAborted(new Promise(() => {}), abort.signal, abortError)).rejects.toThrow('stopped');
  await expect(untilAborted(new Promise(() => {}), abort.signal, abortError)).rejects.toThrow('stopped');
});
