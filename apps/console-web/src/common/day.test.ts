import { beginsDay, dayOf, existingDay, machineDaysDiffer, periodOf } from './day';

test.each(['2026-02-30', '2026-13-01', '0002-11-22', '1999-12-31', 'yesterday', 5, '', undefined])(
  'a filter does not accept %s as a day',
  (value) => {
    expect(existingDay(value)).toBeUndefined();
  },
);

test('a period lasts from the midnight of São Paulo before its first day to the one after its last day', () => {
  const period = periodOf({ from: '2026-11-22', to: '2026-12-31' });
  expect(period).toEqual({ from: '2026-11-22T03:00:00.000Z', to: '2027-01-01T03:00:00.000Z' });
});

test.each([
  ['2026-01-05T02:59:59.999Z', '2026-01-04'],
  ['2026-01-05T03:00:00.000Z', '2026-01-05'],
])('the day of %s is %s, the one that São Paulo has then', (time, day) => {
  expect(dayOf(new Date(time))).toBe(day);
  expect(existingDay(day)).toBe(day);
});

test.each([
  [180, 180, false],
  [0, 0, true],
  [240, 180, true],
  [180, 240, true],
])(
  'days of a machine that is %i minutes behind UTC in January and %i in July differ from those of São Paulo: %s',
  (january, july, differs) => {
    const offsetOf = (time: Date) => (time.getUTCMonth() === 0 ? january : july);
    expect(machineDaysDiffer(2026, offsetOf)).toBe(differs);
  },
);

test.each([
  ['2026-11-27T03:00:00.000Z', true],
  ['2026-11-27T03:00:00.001Z', false],
  ['2026-11-27T00:00:00.000Z', false],
])('%s is the first moment of a day of São Paulo: %s', (time, isFirst) => {
  expect(beginsDay(new Date(time))).toBe(isFirst);
});
