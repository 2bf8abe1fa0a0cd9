import { ApiError } from '@batuta/errors';
import { keepAsking, within } from './keep-asking';

const failing = (faults: unknown[]) => async () => {
  if (faults.length > 0) throw faults.shift();
  return 'done';
};

test('asks again after passing faults', async () => {
  const retried: unknown[] = [];
  const faults = [new ApiError('UNAVAILABLE'), new ApiError('INTERNAL'), new Error('other')];
  const answer = await keepAsking(failing(faults), new AbortController().signal, (error) => retried.push(error));
  expect(answer).toBe('done');
  expect(retried).toHaveLength(3);
});

test('throws a definite refusal at once', async () => {
  const asked = keepAsking(
    failing([new ApiError('BAD_REQUEST', 'seq: wrong')]),
    new AbortController().signal,
    () => {},
  );
  await expect(asked).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('gives up when it is over, also while it waits', async () => {
  const over = new AbortController();
  const ask = () => Promise.reject(new ApiError('UNAVAILABLE'));
  await expect(keepAsking(ask, over.signal, () => over.abort())).resolves.toBeUndefined();
});

test('what takes too long is UNAVAILABLE', async () => {
  await expect(within(5, new Promise(() => {}), 'The look-up')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(within(5_000, Promise.resolve(1), 'The look-up')).resolves.toBe(1);
});
