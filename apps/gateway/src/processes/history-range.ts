import { ApiError } from '@batuta/errors';
import { DateTime } from 'luxon';
import { readCount } from '../http/read-count';

const ZONE = 'America/Sao_Paulo';
const DEFAULT_DAYS = 30;
const DEFAULT_LIMIT = 50;
const MOST = 500;

export interface HistoryRange {
  /** Inclusive days `YYYY-MM-DD` in America/Sao_Paulo (interpretation 8). */
  from: string;
  to: string;
  limit: number;
}

/** The query of contract 4.7; `now` in epoch milliseconds. Throws BAD_REQUEST naming the parameter (interpretation 17). */
export function readHistoryRange(query: Record<string, unknown>, now: number): HistoryRange {
  const today = DateTime.fromMillis(now, { zone: ZONE });
  const from = readDay('from', query['from']) ?? today.minus({ days: DEFAULT_DAYS }).toISODate() ?? '';
  const to = readDay('to', query['to']) ?? today.toISODate() ?? '';
  const limit = readCount('limit', query['limit'], MOST) ?? DEFAULT_LIMIT;
  if (from > to) throw new ApiError('BAD_REQUEST', `from: ${from} is after to, ${to}`);
  return { from, to, limit };
}

function readDay(field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isDay = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && DateTime.fromISO(value).isValid;
  if (!isDay) throw new ApiError('BAD_REQUEST', `${field}: must be a day, YYYY-MM-DD`);
  return value;
}
