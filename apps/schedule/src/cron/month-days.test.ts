import { daysOfMonth, timesOfDay } from './month-days';

const HOUR_MS = 3_600_000;

test.each([
  ['2026-11', 30, '2026-11-01T03:00:00.000Z', '2026-12-01T03:00:00.000Z'],
  ['2028-02', 29, '2028-02-01T03:00:00.000Z', '2028-03-01T03:00:00.000Z'],
])('the month %s has %d days, from midnight to midnight in São Paulo', (month, count, from, until) => {
  const days = daysOfMonth(month);
  expect(days).toHaveLength(count);
  expect([days[0]?.day, new Date(days[0]?.from ?? 0).toISOString()]).toEqual([`${month}-01`, from]);
  expect(new Date(days.at(-1)?.until ?? 0).toISOString()).toBe(until);
  for (const [index, { until: end }] of days.slice(0, -1).entries()) expect(days[index + 1]?.from).toBe(end);
});

test('the days on which daylight saving began and ended have 23 and 25 hours', () => {
  const hours = (month: string) => daysOfMonth(month).map(({ from, until }) => (until - from) / HOUR_MS);
  expect([hours('2018-11')[3], hours('2018-02')[16]]).toEqual([23, 25]);
});

test('a day lists its first future times and says whether there are more', () => {
  const [day = { day: '', from: 0, until: 0 }] = daysOfMonth('2026-11');
  expect(timesOfDay('0 */8 * * *', day, 0, 3)).toEqual({
    times: [0, 8, 16].map((hour) => day.from + hour * HOUR_MS),
    more: false,
  });
  expect(timesOfDay('* * * * *', day, day.from + 60_000, 2)).toEqual({
    times: [day.from + 60_000, day.from + 120_000],
    more: true,
  });
  expect(timesOfDay('* * * * *', day, day.until, 2)).toEqual({ times: [], more: false });
});
