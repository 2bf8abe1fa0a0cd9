import { subscribeToSeconds } from './use-second';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('one timer calls all listeners every second, and ends with the last of them', () => {
  const calls: string[] = [];
  const leave = ['a', 'b'].map((name) => subscribeToSeconds(() => calls.push(name)));
  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(1_000);
  expect(calls).toEqual(['a', 'b']);
  leave[0]?.();
  jest.advanceTimersByTime(1_000);
  expect(calls).toEqual(['a', 'b', 'b']);
  leave[1]?.();
  expect(jest.getTimerCount()).toBe(0);
  subscribeToSeconds(() => calls.push('c'))();
  expect(jest.getTimerCount()).toBe(0);
});
