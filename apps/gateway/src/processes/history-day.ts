import { DateTime } from 'luxon';

/** Whether the value is a day of the calendar, as `YYYY-MM-DD`. */
export function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && DateTime.fromISO(value).isValid;
}
