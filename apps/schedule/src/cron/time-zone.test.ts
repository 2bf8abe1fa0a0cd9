import { IANAZone } from 'luxon';
import { instantOf, localText, wallTimeOf } from './time-zone';

const parseWallTime = (text: string) => Date.parse(`${text}Z`);
const utcTextOf = (instant: number) => new Date(instant).toISOString();

// Dates around the daylight saving changes of São Paulo, and dates after daylight saving was abolished.
test.each([
  ['2026-11-20T09:00:00', '2026-11-20T12:00:00.000Z', 'a date of today, three hours behind UTC'],
  ['2018-12-25T09:00:00', '2018-12-25T11:00:00.000Z', 'a date in daylight saving time, two hours behind UTC'],
  ['2019-12-25T09:00:00', '2019-12-25T12:00:00.000Z', 'the summer after daylight saving was abolished'],
  ['2018-11-03T23:59:00', '2018-11-04T02:59:00.000Z', 'the last minute before the gap at midnight'],
  ['2018-11-04T00:00:00', '2018-11-04T03:00:00.000Z', 'the start of the gap is its end'],
  ['2018-11-04T00:30:00', '2018-11-04T03:00:00.000Z', 'the middle of the gap is its end'],
  ['2018-11-04T00:59:59', '2018-11-04T03:00:00.000Z', 'the last second of the gap is its end'],
  ['2018-11-04T01:00:00', '2018-11-04T03:00:00.000Z', 'the first time after the gap'],
  ['2017-10-15T00:15:00', '2017-10-15T03:00:00.000Z', 'the gap of the year before'],
  ['2019-02-16T22:59:00', '2019-02-17T00:59:00.000Z', 'the last minute before the repeated hour'],
  ['2019-02-16T23:00:00', '2019-02-17T01:00:00.000Z', 'the first occurrence of the repeated hour'],
  ['2019-02-16T23:59:59', '2019-02-17T01:59:59.000Z', 'the first occurrence of its last second'],
  ['2019-02-17T00:00:00', '2019-02-17T03:00:00.000Z', 'midnight after the repeated hour'],
  ['1985-11-02T00:20:00', '1985-11-02T03:00:00.000Z', 'the gap of 1985'],
])('the wall time %s is the instant %s: %s', (local, instant) => {
  expect(utcTextOf(instantOf(parseWallTime(local)))).toBe(instant);
});

test.each([
  ['2026-11-20T12:00:00Z', '2026-11-20T09:00:00-03:00'],
  ['2018-12-25T11:00:00Z', '2018-12-25T09:00:00-02:00'],
])('the local time of %s is %s', (instant, local) => {
  expect(localText(Date.parse(instant))).toBe(local);
  expect(utcTextOf(wallTimeOf(Date.parse(instant)))).toBe(`${local.slice(0, 19)}.000Z`);
});

test('instantOf inverts wallTimeOf for every hour, and returns the first instant of a repeated time', () => {
  const start = Date.parse('2018-10-01T00:00:00Z');
  for (let hour = 0; hour < 24 * 200; hour += 1) {
    const instant = start + hour * 3_600_000;
    const shown = wallTimeOf(instant);
    expect(wallTimeOf(instantOf(shown))).toBe(shown);
    expect(instantOf(shown)).toBeLessThanOrEqual(instant);
  }
});

test('the offset of an instant is computed once, because schedules that are due together ask for the same ones', () => {
  const offset = jest.spyOn(IANAZone.prototype, 'offset');
  try {
    const instants = Array.from({ length: 100 }, () => instantOf(parseWallTime('2031-03-04T05:06:00')));
    expect(new Set(instants)).toEqual(new Set([Date.parse('2031-03-04T08:06:00Z')]));
    expect(offset).toHaveBeenCalledTimes(3);
  } finally {
    offset.mockRestore();
  }
});
