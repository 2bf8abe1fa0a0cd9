import { entryLimit } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';

/** The length of the database column. */
const MAX_EXPRESSION_LENGTH = 255;
const MAX_CACHED_EXPRESSIONS = 5_000;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** One part of the list of a field: `*`, a value or a range, each with an optional step. */
const LIST_PART = /^(?:\*|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/i;

interface CronField {
  name: string;
  min: number;
  max: number;
  /** The number of different values (0 and 7 are both Sunday); also the largest step. */
  valueCount: number;
  /** The words for numbers, from `min` on. */
  words?: string[];
}

/**
 * The numbers and words of each field. Everything is checked here, because the library croner accepts more than cron(5), such as `L`, and its
 * messages do not name the field.
 */
const CRON_FIELDS: CronField[] = [
  { name: 'minute', min: 0, max: 59, valueCount: 60 },
  { name: 'hour', min: 0, max: 23, valueCount: 24 },
  { name: 'day of month', min: 1, max: 31, valueCount: 31 },
  { name: 'month', min: 1, max: 12, valueCount: 12, words: MONTHS },
  { name: 'day of week', min: 0, max: 7, valueCount: 7, words: WEEKDAYS },
];

const parsedExpressions = new LRUCache<string, Cron>(entryLimit(MAX_CACHED_EXPRESSIONS));

/**
 * Parses the five fields of cron(5) without a time zone: `nextRun` takes and returns Dates whose UTC time is the wall time. Throws INVALID_CRON
 * for anything else, for a text beyond MAX_EXPRESSION_LENGTH, and for a date that no year has (interpretation 37).
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
  for (const part of text.split(',')) checkPart(part, field);
}

function checkPart(part: string, field: CronField): void {
  const { name, min, max, valueCount } = field;
  const [isListPart, from, to, step] = LIST_PART.exec(part) ?? [];
  const ends = [from, to].filter((end) => end !== undefined);
  const numbers = ends.map((end) => numberOf(end, field));
  if (isListPart === undefined || numbers.some(Number.isNaN)) throw invalidCron(malformedPart(part, field));
  const outside = ends.find((_end, index) => isOutside(numbers[index], field));
  if (outside !== undefined) throw invalidCron(`the field "${name}" takes ${min} to ${max}, not ${outside}`);
  if (from !== undefined && to !== undefined) checkRange(from, to, field);
  if (step === undefined) return;
  if (from !== undefined && to === undefined)
    throw invalidCron(`the field "${name}" has "${part}", whose step follows neither * nor a range`);
  if (Number(step) < 1 || Number(step) > valueCount)
    throw invalidCron(`the field "${name}" has the step ${step}, which is not from 1 to ${valueCount}`);
}

function malformedPart(part: string, { name, min, max, words }: CronField): string {
  const names = words ? ` or ${words[0]} to ${words.at(-1)}` : '';
  return `the field "${name}" has "${part}"; it takes ${min} to ${max}${names} in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas`;
}

function isOutside(number: number | undefined, { min, max }: CronField): boolean {
  return number === undefined || number < min || number > max;
}

function checkRange(from: string, to: string, field: CronField): void {
  // Sunday is 0, but 7 at the end of a range.
  const end = to.toLowerCase() === WEEKDAYS[0] ? field.max : numberOf(to, field);
  if (numberOf(from, field) > end)
    throw invalidCron(`the field "${field.name}" has the range "${from}-${to}", which begins after its end`);
}

/** The number that a value stands for; NaN for a word that is unknown. */
function numberOf(value: string, { min, words = [] }: CronField): number {
  const index = words.indexOf(value.toLowerCase());
  return index === -1 ? Number(value) : min + index;
}

function buildCron(fields: string[]): Cron {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = fields;
  // As in cron(5): when both day fields are restricted, a day needs to match only one of them.
  const domAndDow = dayOfMonth.includes('*') || dayOfWeek.includes('*');
  const cron = new Cron(fields.join(' '), { mode: '5-part', utcOffset: 0, domAndDow });
  if (cron.nextRun(new Date(0)) === null) throw invalidCron('matches no date: none of its months has one of its days');
  return cron;
}

function invalidCron(problem: string): ApiError {
  return new ApiError('INVALID_CRON', `cronExpression: ${problem}`);
}
