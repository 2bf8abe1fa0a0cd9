import { ApiError } from '@batuta/errors';
import { DateTime } from 'luxon';
import type { HistoryQuery } from './history-query.dto';

const TIME_ZONE = 'America/Sao_Paulo';
const DEFAULT_RANGE_DAYS = 30;

/** Days `YYYY-MM-DD` in America/Sao_Paulo, both inclusive (interpretation 8). */
export interface HistoryRange {
  from: string;
  to: string;
}

/**
 * The days of a query. Without `to` the range ends today; without `from` it begins on `firstDay`, or 30 days before today if there is none or it
 * is after `to`. `firstDay` = the first day of the range of the earlier pages, from the cursor, so that paging past midnight keeps it. `now` in
 * epoch milliseconds. Throws BAD_REQUEST for a range that ends before it begins (interpretation 17).
 */
export function resolveHistoryRange(
  query: Pick<HistoryQuery, 'from' | 'to'>,
  now: number,
  firstDay?: string,
): HistoryRange {
  const today = DateTime.fromMillis(now, { zone: TIME_ZONE });
  const to = query.to ?? today.toISODate() ?? '';
  const first = firstDay !== undefined && firstDay <= to ? firstDay : undefined;
  const from = query.from ?? first ?? today.minus({ days: DEFAULT_RANGE_DAYS }).toISODate() ?? '';
  if (from <= to) return { from, to };
  // The message begins with a parameter that the caller sent.
  const problem =
    query.from === undefined
      ? `to: ${to} is before from, which is ${from} unless sent`
      : `from: ${from} is after to, which is ${to}${query.to === undefined ? ' unless sent' : ''}`;
  throw new ApiError('BAD_REQUEST', problem);
}
