import { QueryObserver } from '@tanstack/react-query';
import { queryClient } from './query-client';

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
