import { dayInWords, monthLater, shortTime, timeInWords, weeksOf, zoneDay, zoneMonth } from './zone-times';

test('a time is written in words in the zone of schedules and in another one', () => {
  const at = '2026-11-20T11:00:00Z';
  expect(timeInWords('pt-BR', at, 'America/Sao_Paulo')).toBe('sexta-feira, 20 de novembro de 2026 às 08:00');
  expect(timeInWords('en', at, 'Europe/Lisbon')).toMatch(/^Friday, November 20, 2026 at 11:00\sAM$/);
});

test('a time in few words has at most 32 characters, in the zone of schedules and in another one', () => {
  const at = '2026-11-20T11:00:00Z';
  expect(shortTime('pt-BR', at, 'America/Sao_Paulo')).toBe('sex., 20 de nov. de 2026, 08:00');
  expect(shortTime('en', at, 'Europe/Lisbon')).toMatch(/^Fri, Nov 20, 2026, 11:00\sAM$/);
});

test.each([
  ['2026-11', 1, '2026-12'],
  ['2026-12', 1, '2027-01'],
  ['2026-01', -1, '2025-12'],
])('the month %s plus %d months is %s', (month, by, expected) => {
  expect(monthLater(month, by)).toBe(expected);
});

test('the first hours of a day in UTC belong to the previous day and month in São Paulo', () => {
  const at = new Date('2026-12-01T02:59:00Z');
  expect([zoneDay(at), zoneMonth(at)]).toEqual(['2026-11-30', '2026-11']);
});

test('the days of a month are arranged in weeks that begin on Sunday', () => {
  const days = Array.from({ length: 30 }, (_, index) => ({ day: `2026-09-${String(index + 1).padStart(2, '0')}` }));
  const weeks = weeksOf(days).map((week) => week.map((day) => day?.day.slice(8) ?? '').join(' '));
  expect([weeks.length, weeks[0], weeks.at(-1)]).toEqual([5, '  01 02 03 04 05', '27 28 29 30   ']);
  expect(dayInWords('en', '2026-09-01', { weekday: 'long' })).toBe('Tuesday');
});
