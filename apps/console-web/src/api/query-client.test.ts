import { onlineManager, QueryObserver } from '@tanstack/react-query';
import { CallError } from './error';
import { queryClient, retryReadsNow } from './query-client';

const queryKey = ['list'];
let answer: () => Promise<string>;

beforeEach(async () => {
  jest.useFakeTimers();
  queryClient.mount();
  answer = () => Promise.resolve('first');
  const observer = new QueryObserver(queryClient, { queryKey, queryFn: () => answer() });
  observer.subscribe(() => {});
  await jest.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  queryClient.clear();
  queryClient.unmount();
  onlineManager.setOnline(true);
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

/** A read whose first attempt has failed with `failure`, and whose next one ends by `resolve`. */
async function failedRead(failure: Error) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const queryFn = jest.fn(() => promise).mockRejectedValueOnce(failure);
  const observer = new QueryObserver<string>(queryClient, { queryKey: ['failing'], queryFn });
  observer.subscribe(() => {});
  await jest.advanceTimersByTimeAsync(0);
  return { observer, queryFn, resolve };
}

const temporary = new CallError(503, 'UNAVAILABLE', 'away', undefined, 30);

test('a read that waits for its next attempt is repeated at once when the user asks for it', async () => {
  const { observer, queryFn, resolve } = await failedRead(temporary);
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

test.each<[how: string, failure: Error]>([
  ['is repeated', temporary],
  ['has ended', new CallError(500, 'INTERNAL', 'broken')],
])(
  'a read that %s keeps its failure from the press of the user until its answer, also while the console is away',
  async (_, failure) => {
    const { observer, resolve } = await failedRead(failure);
    onlineManager.setOnline(false);
    retryReadsNow();
    const pressed = { status: 'pending', fetchStatus: 'paused', failureReason: failure };
    expect(observer.getCurrentResult()).toMatchObject(pressed);
    onlineManager.setOnline(true);
    resolve('second');
    await jest.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult()).toMatchObject({ data: 'second', failureReason: null });
  },
);
