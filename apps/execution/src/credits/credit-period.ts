import { DateTime } from 'luxon';

/** The time zone of the months of credits, and of the days of histories and statistics. */
export const CALENDAR_TIME_ZONE = 'America/Sao_Paulo';

const MINUTE_MS = 60_000;
/** The cached result for the current minute: every start needs the period, and time zone arithmetic is slow. */
let last = { minute: Number.NaN, period: '' };

/** The month whose credits a start spends, as `YYYY-MM` in America/Sao_Paulo (interpretation 40). */
export function creditPeriodOf(now: Date): string {
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  if (minute !== last.minute)
    last = { minute, period: DateTime.fromJSDate(now, { zone: CALENDAR_TIME_ZONE }).toFormat('yyyy-MM') };
  return last.period;
}
