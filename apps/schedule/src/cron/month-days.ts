import { timesAfter } from './nominal-times';
import { instantOf } from './time-zone';

/** A day of the zone of schedules; instants in epoch milliseconds, `until` exclusive. */
export interface ZoneDay {
  /** The date, such as `2026-11-30`. */
  day: string;
  from: number;
  until: number;
}

/** The days of a month such as `2026-11`. */
export function daysOfMonth(month: string): ZoneDay[] {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const wallDay = (day: number) => Date.UTC(year, number - 1, day);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => ({
    day: new Date(wallDay(index + 1)).toISOString().slice(0, 10),
    from: instantOf(wallDay(index + 1)),
    until: instantOf(wallDay(index + 2)),
  }));
}

/**
 * The first `limit` nominal times of an expression in a day that are not before `earliest`, and whether there are more. The cost does
 * not depend on how many times the expression gives.
 */
export function timesOfDay(
  expression: string,
  { from, until }: ZoneDay,
  earliest: number,
  limit: number,
): { times: number[]; more: boolean } {
  const times: number[] = [];
  if (until <= earliest) return { times, more: false };
  for (const time of timesAfter(expression, Math.max(from, earliest) - 1)) {
    if (time >= until) break;
    if (times.length === limit) return { times, more: true };
    times.push(time);
  }
  return { times, more: false };
}
