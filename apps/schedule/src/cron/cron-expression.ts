import { ApiError } from '@batuta/errors';
import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';

/** The length of the database column. Only an expression with repeated values is longer. */
const MAX_EXPRESSION_LENGTH = 255;
const MAX_CACHED_EXPRESSIONS = 5_000;

const NUMBER_CHARACTERS = /^[\d*,/-]+$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH_CHARACTERS = new RegExp(`^(?:[\\d*,/-]|${MONTHS.join('|')})+$`, 'i');
const WEEKDAY_CHARACTERS = new RegExp(`^(?:[\\d*,/-]|${WEEKDAYS.join('|')})+$`, 'i');

/** One part of the list of a field: `*`, a value or a range, each with an optional step. */
const LIST_PART = /^(?:\*|\w+(?:-\w+)?)(?:\/\d+)?$/;

interface CronField {
  name: string;
  characters: RegExp;
  min: number;
  max: number;
  /** The names of the values from `min` on, in lower case. */
  names?: string[];
}

/**
 * The characters, words and numbers of each field. The library croner checks their combination, but accepts more than cron(5),
 * such as `L`, and its messages count days and months from 0.
 */
const CRON_FIELDS: CronField[] = [
  { name: 'minute', characters: NUMBER_CHARACTERS, min: 0, max: 59 },
  { name: 'hour', characters: NUMBER_CHARACTERS, min: 0, max: 23 },
  { name: 'day of month', characters: NUMBER_CHARACTERS, min: 1, max: 31 },
  { name: 'month', characters: MONTH_CHARACTERS, min: 1, max: 12, names: MONTHS },
  { name: 'day of week', characters: WEEKDAY_CHARACTERS, min: 0, max: 7, names: WEEKDAYS },
];

const parsedExpressions = new LRUCache<string, Cron>({ max: MAX_CACHED_EXPRESSIONS });

/**
 * Parses the five fields of cron(5) without a time zone: `nextRun` takes and returns Dates whose UTC time is the wall time.
 * Throws INVALID_CRON for anything else, and for a date that no year has (interpretation 37).
 */
export function parseCron(expression: string): Cron {
  const known = parsedExpressions.get(expression);
  if (known) return known;
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw invalidCron(`is longer than ${MAX_EXPRESSION_LENGTH} characters`);
  const cron = buildCron(readFields(expression));
  parsedExpressions.set(expression, cron);
  return cron;
}

function readFields(expression: string): string[] {
  const fields = expression.trim().split(/[ \t]+/);
  if (fields.length !== CRON_FIELDS.length) {
    throw invalidCron('must have five fields: minute, hour, day of month, month, day of week');
  }
  for (const [index, field] of CRON_FIELDS.entries()) checkField(fields[index] ?? '', field);
  return fields;
}

function checkField(text: string, field: CronField): void {
  const { name, characters, min, max } = field;
  if (!characters.test(text)) throw invalidCron(`the field "${name}" holds what cron does not know`);
  for (const part of text.split(',')) {
    if (!LIST_PART.test(part)) throw invalidCron(`the field "${name}" has "${part}", which is no value, range or step`);
    const [values = ''] = part.split('/');
    const outside = values.match(/\d+/g)?.find((number) => Number(number) < min || Number(number) > max);
    if (outside) throw invalidCron(`the field "${name}" takes ${min} to ${max}, not ${outside}`);
    if (isBackwards(values, field))
      throw invalidCron(`the field "${name}" has the range "${values}", which begins after its end`);
  }
}

function isBackwards(range: string, { min, max, names = [] }: CronField): boolean {
  const [first = NaN, last = NaN] = range.split('-').map((value) => {
    const position = names.indexOf(value.toLowerCase());
    return position < 0 ? Number(value) : position + min;
  });
  // A Sunday at the end of a range of weekdays is day 7.
  return first > (/-sun$/i.test(range) ? max : last);
}

function buildCron(fields: string[]): Cron {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = fields;
  // As in cron(5): when both day fields are restricted, a day needs to match only one of them.
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
