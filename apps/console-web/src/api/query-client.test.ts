import { QueryObserver } from '@tanstack/react-query';
import { CallError } from './error';
import { queryClient, retryReadsNow } from './query-client';

const queryKey = ['list'];
let answer: () => Promise<string>;

beforeEach(async () => {
  jest.useFakeTimers();
  answer = () => Promise.resolve('first');
  const observer = new QueryObserver(queryClient, { queryKey, queryFn: () => answer() });
  observer.subscribe(() => {});
  await jest.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  queryClient.clear();
  jest.useRealTimers();
});

test('a change waits until the active queries that it makes stale are read again', async () => {
  answer = () => Promise.resolve('second');
  await queryClient.invalidateQueries({ queryKey });
  expect(queryClient.getQueryData(queryKey)).toBe('second');
});

test('a change waits no longer than three seconds for a list that gets no answer', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  answer = () => promise;
  const refreshed = jest.fn();
  void queryClient.invalidateQueries({ queryKey }).then(refreshed);
  await jest.advanceTimersByTimeAsync(2_999);
  expect(refreshed).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(refreshed).toHaveBeenCalled();
  resolve('late');
  await jest.advanceTimersByTimeAsync(0);
  expect(queryClient.getQueryData(queryKey)).toBe('late');
});

test('a read that waits for its next attempt is repeated at once when the user asks for it', async () => {
  const failure = new CallError(503, 'UNAVAILABLE', 'away', undefined, 30);
  const { promise, resolve } = Promise.withResolvers<string>();
  const queryFn = jest.fn(() => promise).mockRejectedValueOnce(failure);
  const observer = new QueryObserver<string>(queryClient, { queryKey: ['failing'], queryFn });
  observer.subscribe(() => {});
  await jest.advanceTimersByTimeAsync(0);
  void observer.refetch();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(queryFn).toHaveBeenCalledTimes(1);
  retryReadsNow();
  await jest.advanceTimersByTimeAsync(0);
  expect(queryFn).toHaveBeenCalledTimes(2);
  resolve('second');
  await jest.advanceTimersByTimeAsync(0);
  expect(observer.getCurrentResult()).toMatchObject({ data: 'second', failureReason: null });
});
