import { DateTime } from 'luxon';

export const ZONE = 'America/Sao_Paulo';

const MINUTE = 60_000;
/** Asked for every start, and the same for all of a minute; the calendar is slow to ask. */
let last = { minute: Number.NaN, period: '' };

/** The month whose credits are being spent, `YYYY-MM`: it turns on the 1st, America/Sao_Paulo (interpretation 40). */
export function periodOf(now: Date): string {
  const minute = Math.floor(now.getTime() / MINUTE);
  if (minute !== last.minute) last = { minute, period: DateTime.fromJSDate(now, { zone: ZONE }).toFormat('yyyy-MM') };
  return last.period;
}
