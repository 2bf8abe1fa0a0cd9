import { ApiError } from '@batuta/errors';
import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';

/** As long as the column; a longer one lists something twice. */
const LONGEST = 255;
const CACHED = 5_000;

const NUMBERS = /^[\d*,/-]+$/;
const MONTHS = /^(?:[\d*,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+$/i;
const WEEKDAYS = /^(?:[\d*,/-]|sun|mon|tue|wed|thu|fri|sat)+$/i;

/** What a field may consist of; the library, which knows more than cron(5) does, judges how it is put together. */
const FIELDS = [
  { name: 'minute', form: NUMBERS },
  { name: 'hour', form: NUMBERS },
  { name: 'day of month', form: NUMBERS },
  { name: 'month', form: MONTHS },
  { name: 'day of week', form: WEEKDAYS },
];

const parsed = new LRUCache<string, Cron>({ max: CACHED });

/**
 * The five fields of cron(5), read as if there were no time zones: `nextRun` takes and gives Dates whose UTC is wall
 * time. Throws INVALID_CRON for anything else, and for a day that no calendar has (interpretation 37).
 */
export function parseCron(expression: string): Cron {
  const known = parsed.get(expression);
  if (known) return known;
  if (expression.length > LONGEST) throw invalid(`is longer than ${LONGEST} characters`);
  const cron = build(splitFields(expression));
  parsed.set(expression, cron);
  return cron;
}

function splitFields(expression: string): string[] {
  const fields = expression.trim().split(/[ \t]+/);
  if (fields.length !== FIELDS.length) {
    throw invalid('must have five fields: minute, hour, day of month, month, day of week');
  }
  for (const [index, { name, form }] of FIELDS.entries()) {
    if (!form.test(fields[index] ?? '')) throw invalid(`the field "${name}" holds what cron does not know`);
  }
  return fields;
}

function build(fields: string[]): Cron {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = fields;
  // cron(5): either day matches when both are restricted, and a field that contains a star is not.
  const domAndDow = dayOfMonth.includes('*') || dayOfWeek.includes('*');
  const cron = parse(fields.join(' '), domAndDow);
  if (cron.nextRun(new Date(0)) === null) throw invalid('never comes');
  return cron;
}

function parse(expression: string, domAndDow: boolean): Cron {
  try {
    return new Cron(expression, { mode: '5-part', utcOffset: 0, domAndDow });
  } catch (error) {
    throw invalid(error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'is malformed');
  }
}

function invalid(problem: string): ApiError {
  return new ApiError('INVALID_CRON', `cronExpression: ${problem}`);
}
