import { LogThrottle } from './log-throttle';

let passedMs = 0;
let now: jest.SpyInstance;
beforeEach(() => {
  passedMs = 0;
  now = jest.spyOn(performance, 'now').mockImplementation(() => passedMs);
});
afterEach(() => now.mockRestore());

test('an event has a line when none was written within a minute, with the number of events since the last line', () => {
  const throttle = new LogThrottle();
  const counts = [0, 1, 59_999, 60_000, 60_001, 120_000].map((milliseconds) => {
    passedMs = milliseconds;
    return throttle.add();
  });
  expect(counts).toEqual([1, undefined, undefined, 3, undefined, 2]);
});
