import { savingsOf } from './savings';

test.each([
  ['00:15:00', 40, 0.25, 10],
  ['01:00:00', 35.5, 1, 35.5],
  ['00:00:00', 100, 0, 0],
  ['00:00:01', 0.01, 1 / 3600, 0],
  ['00:30:00', 0.01, 0.5, 0.01],
  ['100:00:36', 12.34, 100.01, 1234.12],
  ['02:00:00', 999_999_999_999, 2, 999_999_999_999.99],
])('work of %s at a cost of %d an hour is %d hours and saves %d', (time, cost, fteHours, savingsValue) => {
  expect(savingsOf(time, cost)).toEqual({ fteHours, savingsValue });
});
