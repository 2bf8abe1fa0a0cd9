import { creditPeriodOf } from './credit-period';

test.each([
  ['2026-11-01T02:59:59.999Z', '2026-10'],
  ['2026-11-01T03:00:00.000Z', '2026-11'],
  // During daylight saving time, which Brazil abolished in 2019, midnight in São Paulo was at 02:00 UTC.
  ['2018-12-01T02:00:00.000Z', '2018-12'],
])('a start at %s spends the credits of %s', (at, period) => expect(creditPeriodOf(new Date(at))).toBe(period));
