import { nextTime, timesAfter } from './times';

const at = (text: string) => Date.parse(text);

function between(expression: string, from: string, until: string): string[] {
  const times: string[] = [];
  for (const time of timesAfter(expression, at(from))) {
    if (time > at(until)) break;
    times.push(new Date(time).toISOString().slice(0, 16));
  }
  return times;
}

describe('where the clocks are put forward (2018-11-04, midnight to one)', () => {
  const [before, after] = ['2018-11-04T01:30:00Z', '2018-11-04T04:30:00Z'];
  test.each([
    ['0 0 * * *', ['2018-11-04T03:00'], 'midnight is the first instant after the gap'],
    ['30 0 * * *', ['2018-11-04T03:00'], 'half past is as well'],
    ['*/10 0 * * *', ['2018-11-04T03:00'], 'all times of the gap are one'],
    ['0 0,1 * * *', ['2018-11-04T03:00'], 'with the time at which it ends'],
    ['30 * * * *', ['2018-11-04T02:30', '2018-11-04T03:00', '2018-11-04T03:30', '2018-11-04T04:30'], 'hour by hour'],
    ['0 1 * * *', ['2018-11-04T03:00'], 'one o’clock is there'],
    ['59 23 * * *', ['2018-11-04T02:59'], 'the minute before is untouched'],
  ])('%s comes at %j: %s', (expression, times) => {
    expect(between(expression, before, after)).toEqual(times);
  });

  test('the day after comes at its usual time', () => {
    expect(between('30 0 * * *', '2018-11-04T03:00:00Z', '2018-11-06T00:00:00Z')).toEqual(['2018-11-05T02:30']);
  });
});

describe('where the clocks are put back (2019-02-17, midnight to eleven)', () => {
  test.each([
    ['30 23 * * *', ['2019-02-17T01:30'], 'what comes twice comes the first time'],
    ['0 23 * * *', ['2019-02-17T01:00'], 'so does the hour'],
    ['0 0 * * *', ['2019-02-17T03:00'], 'midnight comes once'],
    ['0 * * * *', ['2019-02-17T01:00', '2019-02-17T03:00'], 'hour by hour'],
    ['*/30 * * * *', ['2019-02-17T01:00', '2019-02-17T01:30', '2019-02-17T03:00'], 'the second coming is silent'],
  ])('%s comes at %j: %s', (expression, times) => {
    expect(between(expression, '2019-02-17T00:59:00Z', '2019-02-17T03:15:00Z')).toEqual(times);
  });

  test.each(['2019-02-17T02:00:00Z', '2019-02-17T02:30:00Z', '2019-02-17T02:59:59.999Z'])(
    'asked in the second coming (%s), every minute goes on at midnight',
    (instant) => {
      expect(new Date(nextTime('* * * * *', at(instant)) ?? 0).toISOString()).toBe('2019-02-17T03:00:00.000Z');
    },
  );
});

test('a year of daily times is a day for each day of the calendar, across both changes', () => {
  const times = between('0 0 * * *', '2018-06-30T12:00:00Z', '2019-06-30T12:00:00Z');
  expect(times).toHaveLength(365);
  expect(new Set(times).size).toBe(365);
});

test('a time is not after itself, and is after the millisecond before', () => {
  const time = at('2026-11-20T11:00:00Z');
  expect(nextTime('0 8 * * *', time)).toBe(time + 86_400_000);
  expect(nextTime('0 8 * * *', time - 1)).toBe(time);
});
