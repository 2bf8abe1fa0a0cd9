import { dayOf, existingDay, periodOf } from './day';

test.each(['2026-02-30', '2026-13-01', '0002-11-22', '1999-12-31', 'yesterday', 5, '', undefined])(
  '%s is no day of a filter',
  (value) => {
    expect(existingDay(value)).toBeUndefined();
  },
);

test('a period has its first and its last day whole, in the zone of this machine', () => {
  const { from, to } = periodOf({ from: '2026-11-22', to: '2026-11-22' });
  expect([from, to]).toEqual([new Date(2026, 10, 22).toISOString(), new Date(2026, 10, 23).toISOString()]);
});

test('the text of a day is read as the same day', () => {
  expect(existingDay(dayOf(new Date(2026, 0, 5)))).toBe('2026-01-05');
});
