import { existingDay, dayOf, isFiltered, toQuery } from './run-filter';

test.each(['2026-02-30', '2026-13-01', 'yesterday', 5, '', undefined])('%s is no day of a filter', (value) => {
  expect(existingDay(value)).toBeUndefined();
});

test('a period has its first and its last day whole, in the zone of this machine', () => {
  const { from, to } = toQuery({ from: '2026-11-22', to: '2026-11-22' });
  expect([from, to]).toEqual([new Date(2026, 10, 22).toISOString(), new Date(2026, 10, 23).toISOString()]);
});

test('the origin of the start is the trigger of the API', () => {
  expect(toQuery({ origin: 'webhook', status: 'error' })).toMatchObject({ trigger: 'webhook', status: 'error' });
});

test('a day is written as it is read', () => {
  expect(existingDay(dayOf(new Date(2026, 0, 5)))).toBe('2026-01-05');
});

test('a list without a filter is not filtered', () => {
  expect([isFiltered({ process: undefined }), isFiltered({ origin: 'api' })]).toEqual([false, true]);
});
