import { DateTime } from 'luxon';

export const ZONE = 'America/Sao_Paulo';

/** The month whose credits are being spent, `YYYY-MM`: it turns on the 1st, America/Sao_Paulo (reading 40). */
export function periodOf(now: Date): string {
  return DateTime.fromJSDate(now, { zone: ZONE }).toFormat('yyyy-MM');
}
