import { nextTime, timesAfter } from './nominal-times';

const timeAt = (text: string) => Date.parse(text);

function timesBetween(expression: string, from: string, until: string): string[] {
  const times: string[] = [];
  for (const time of timesAfter(expression, timeAt(from))) {
    if (time > timeAt(until)) break;
    times.push(new Date(time).toISOString().slice(0, 16));
  }
  return times;
}

describe('2018-11-04, from 00:00 to 01:00:', () => {
  const [before, after] = ['2018-11-04T01:30:00Z', '2018-11-04T04:30:00Z'];
  test.each([
    ['0 0 * * *', ['2018-11-04T03:00'], 'midnight becomes the first instant after the gap'],
    ['30 0 * * *', ['2018-11-04T03:00'], 'half past midnight does so too'],
    ['*/10 0 * * *', ['2018-11-04T03:00'], 'all times in the gap are one nominal time'],
    ['0 0,1 * * *', ['2018-11-04T03:00'], 'also together with the time at which the gap ends'],
    ['30 * * * *', ['2018-11-04T02:30', '2018-11-04T03:00', '2018-11-04T03:30', '2018-11-04T04:30'], 'every hour'],
    ['0 1 * * *', ['2018-11-04T03:00'], 'one o’clock exists'],
    ['59 23 * * *', ['2018-11-04T02:59'], 'the minute before the gap is unchanged'],
  ])('when the clocks go forward the nominal times of %s are %j: %s', (expression, times) => {
    expect(timesBetween(expression, before, after)).toEqual(times);
  });

  test('the day after the clocks went forward has its usual time', () => {
    expect(timesBetween('30 0 * * *', '2018-11-04T03:00:00Z', '2018-11-06T00:00:00Z')).toEqual(['2018-11-05T02:30']);
  });
});

describe('2019-02-17, from 00:00 to 23:00:', () => {
  test.each([
    ['30 23 * * *', ['2019-02-17T01:30'], 'a repeated time fires the first time'],
    ['0 23 * * *', ['2019-02-17T01:00'], 'so does the full hour'],
    ['0 0 * * *', ['2019-02-17T03:00'], 'midnight exists once'],
    ['0 * * * *', ['2019-02-17T01:00', '2019-02-17T03:00'], 'every hour'],
    [
      '*/30 * * * *',
      ['2019-02-17T01:00', '2019-02-17T01:30', '2019-02-17T03:00'],
      'the repetition has no nominal times',
    ],
  ])('when the clocks go back the nominal times of %s are %j: %s', (expression, times) => {
    expect(timesBetween(expression, '2019-02-17T00:59:00Z', '2019-02-17T03:15:00Z')).toEqual(times);
  });

  test.each(['2019-02-17T02:00:00Z', '2019-02-17T02:30:00Z', '2019-02-17T02:59:59.999Z'])(
    'in the repeated hour (at %s) a schedule of every minute fires next at midnight',
    (instant) => {
      expect(new Date(nextTime('* * * * *', timeAt(instant)) ?? 0).toISOString()).toBe('2019-02-17T03:00:00.000Z');
    },
  );
});

test('a daily schedule has one nominal time for each day of a year in which daylight saving begins and ends', () => {
  const times = timesBetween('0 0 * * *', '2018-06-30T12:00:00Z', '2019-06-30T12:00:00Z');
  expect(times).toHaveLength(365);
  expect(new Set(times).size).toBe(365);
});

test('the search for the next time excludes its starting instant', () => {
  const time = timeAt('2026-11-20T11:00:00Z');
  expect(nextTime('0 8 * * *', time)).toBe(time + 86_400_000);
  expect(nextTime('0 8 * * *', time - 1)).toBe(time);
});
