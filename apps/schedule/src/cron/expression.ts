import { ApiError } from '@batuta/errors';
import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';

/** The length of the column; a longer expression repeats values. */
const MAX_LENGTH = 255;
const MAX_CACHED = 5_000;

const NUMBERS = /^[\d*,/-]+$/;
const MONTHS = /^(?:[\d*,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+$/i;
const WEEKDAYS = /^(?:[\d*,/-]|sun|mon|tue|wed|thu|fri|sat)+$/i;

/** The characters and words of each field. croner checks their combination, but accepts more than cron(5), such as `L`. */
const FIELDS = [
  { name: 'minute', characters: NUMBERS },
  { name: 'hour', characters: NUMBERS },
  { name: 'day of month', characters: NUMBERS },
  { name: 'month', characters: MONTHS },
  { name: 'day of week', characters: WEEKDAYS },
];

const parsedExpressions = new LRUCache<string, Cron>({ max: MAX_CACHED });

/**
 * Parses the five fields of cron(5) without a time zone: `nextRun` takes and returns Dates whose UTC time is the wall time.
 * Throws INVALID_CRON for anything else, and for a date that no year has (interpretation 37).
 */
export function parseCron(expression: string): Cron {
  const known = parsedExpressions.get(expression);
  if (known) return known;
  if (expression.length > MAX_LENGTH) throw invalidCron(`is longer than ${MAX_LENGTH} characters`);
  const cron = buildCron(splitFields(expression));
  parsedExpressions.set(expression, cron);
  return cron;
}

function splitFields(expression: string): string[] {
  const fields = expression.trim().split(/[ \t]+/);
  if (fields.length !== FIELDS.length) {
    throw invalidCron('must have five fields: minute, hour, day of month, month, day of week');
  }
  for (const [index, { name, characters }] of FIELDS.entries()) {
    if (!characters.test(fields[index] ?? '')) throw invalidCron(`the field "${name}" holds what cron does not know`);
  }
  return fields;
}

function buildCron(fields: string[]): Cron {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = fields;
  // cron(5): when both day fields are restricted, either may match; a field with a star is not restricted.
  const domAndDow = dayOfMonth.includes('*') || dayOfWeek.includes('*');
  const cron = parseFields(fields.join(' '), domAndDow);
  if (cron.nextRun(new Date(0)) === null) throw invalidCron('never comes');
  return cron;
}

function parseFields(expression: string, domAndDow: boolean): Cron {
  try {
    return new Cron(expression, { mode: '5-part', utcOffset: 0, domAndDow });
  } catch (error) {
    throw invalidCron(error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'is malformed');
  }
}

function invalidCron(problem: string): ApiError {
  return new ApiError('INVALID_CRON', `cronExpression: ${problem}`);
}
