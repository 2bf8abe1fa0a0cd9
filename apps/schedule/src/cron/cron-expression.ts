import { ApiError } from '@batuta/errors';
import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';

/** The length of the database column. Only an expression with repeated values is longer. */
const MAX_EXPRESSION_LENGTH = 255;
const MAX_CACHED_EXPRESSIONS = 5_000;

const NUMBER_CHARACTERS = /^[\d*,/-]+$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** One part of the list of a field: `*`, a value or a range, each with an optional step. */
const LIST_PART = /^(?:\*|\w+(?:-\w+)?)(?:\/\d+)?$/;

interface CronField {
  name: string;
  characters: RegExp;
  min: number;
  max: number;
  /** The words for numbers, from `min` on. */
  words?: string[];
}

/**
 * The characters, words and numbers of each field. The library croner checks their combination, but accepts more than cron(5),
 * such as `L`, and its messages count days and months from 0 and have numbers in place of words.
 */
const CRON_FIELDS: CronField[] = [
  { name: 'minute', characters: NUMBER_CHARACTERS, min: 0, max: 59 },
  { name: 'hour', characters: NUMBER_CHARACTERS, min: 0, max: 23 },
  { name: 'day of month', characters: NUMBER_CHARACTERS, min: 1, max: 31 },
  { name: 'month', characters: charactersOf(MONTHS), min: 1, max: 12, words: MONTHS },
  { name: 'day of week', characters: charactersOf(WEEKDAYS), min: 0, max: 7, words: WEEKDAYS },
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
    const [values = '', step] = part.split('/');
    const outside = values.match(/\d+/g)?.find((number) => Number(number) < min || Number(number) > max);
    if (outside) throw invalidCron(`the field "${name}" takes ${min} to ${max}, not ${outside}`);
    checkRange(values, field);
    if (step !== undefined && values !== '*' && !values.includes('-'))
      throw invalidCron(`the field "${name}" has "${part}", whose step follows neither * nor a range`);
  }
}

function checkRange(values: string, field: CronField): void {
  const [from, to] = values.split('-');
  if (from === undefined || to === undefined) return;
  // Sunday is 0, but 7 at the end of a range.
  const end = to.toLowerCase() === WEEKDAYS[0] ? field.max : numberOf(to, field);
  if (numberOf(from, field) > end)
    throw invalidCron(`the field "${field.name}" has the range "${values}", which begins after its end`);
}

/** The number that a value stands for; NaN for a word that is unknown. */
function numberOf(value: string, { min, words = [] }: CronField): number {
  const index = words.indexOf(value.toLowerCase());
  return index === -1 ? Number(value) : min + index;
}

function charactersOf(words: string[]): RegExp {
  return new RegExp(`^(?:[\\d*,/-]|${words.join('|')})+$`, 'i');
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
