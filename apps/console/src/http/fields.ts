import { EMAIL_LENGTH, isEmail, normalizeEmail } from '@batuta/auth';
import {
  combineDecorators,
  isPlainObject,
  NestedList,
  NestedObject,
  refusedAs,
  fieldRule,
  type DtoClass,
} from '@batuta/http';
import { sentMatrixProblem } from '@batuta/matrix';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import {
  requestField,
  lengthRules,
  numberRule,
  rangeRules,
  textField,
  textRule,
  type FieldOptions,
} from './field-builders';
import { toNFC, isPrintable, isPrintableProse, PASSWORD_LENGTH, trimText } from './text';

// Decorators for the fields of requests. Each normalizes its value, checks it, and describes it in the OpenAPI document.

const DATE_PATTERN =
  '(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|' +
  '\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))';
const CLOCK_PATTERN = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const DATE_TIME = new RegExp(`^${DATE_PATTERN}T${CLOCK_PATTERN}:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]${CLOCK_PATTERN})$`);
const NOT_A_DATE_TIME_MESSAGE = 'is not a time in ISO 8601, such as 2030-01-31T00:00:00Z';
const NOT_STORABLE_MESSAGE = 'is not in the years 0000 to 9999 of UTC';
const WORD_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
const ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const IS_PRINTABLE_RULE = textRule('printable', 'has control characters', isPrintable);

/** A name or label: one line, trimmed, in Unicode form NFC. */
export function LineField({ max = 120, ...options }: FieldOptions & { max?: number } = {}): PropertyDecorator {
  const schema = { minLength: 1, maxLength: max };
  return textField(options, schema, (text) => trimText(text, max), lengthRules({ min: 1, max }), IS_PRINTABLE_RULE);
}

/** A description: several lines, may be empty. */
export function ProseField({ max = 2_000, ...options }: FieldOptions & { max?: number } = {}): PropertyDecorator {
  const rules = [lengthRules({ max }), textRule('printable', 'has control characters', isPrintableProse)];
  return textField(options, { maxLength: max }, (text) => trimText(text, max), ...rules);
}

/** A short word such as `windows` or `prod`. */
export function WordField(options: FieldOptions = {}): PropertyDecorator {
  const message = 'must be 1 to 40 letters, digits, dots, dashes or underscores';
  const isWord = textRule('word', message, (text) => WORD_PATTERN.test(text));
  return textField(options, { minLength: 1, maxLength: 40 }, (text) => trimText(text, 40), isWord);
}

/** An e-mail address, in the form in which it is stored. */
export function EmailField(options: FieldOptions = {}): PropertyDecorator {
  const { min, max } = EMAIL_LENGTH;
  const schema = { minLength: min, maxLength: max };
  const isAddress = textRule('email', 'is not an e-mail address', isEmail);
  return textField(options, schema, normalizeEmail, lengthRules({ min, max }), isAddress);
}

/** A new password. It is not trimmed: spaces are part of it. */
export function NewPasswordField(options: FieldOptions = {}): PropertyDecorator {
  const { min, max } = PASSWORD_LENGTH;
  const schema = { minLength: min, maxLength: max, format: 'password' };
  return textField(options, schema, (text) => toNFC(text, max), lengthRules({ min, max }), IS_PRINTABLE_RULE);
}

/** A text that is stored exactly as it was sent, such as a secret. */
export function RawTextField(
  { min = 0, max, format, ...options }: FieldOptions & { min?: number; max: number; format?: string },
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const schema = { ...(min > 0 && { minLength: min }), maxLength: max, ...(format !== undefined && { format }) };
  return textField(options, schema, keepAsSent, lengthRules({ min, max }), ...rules);
}

/** A text of a fixed form; `message` is for texts that do not match. */
export function PatternField(pattern: RegExp, message: string, options: FieldOptions = {}): PropertyDecorator {
  const matches = textRule('pattern', message, (text) => pattern.test(text));
  return textField(options, { pattern: pattern.source }, keepAsSent, matches);
}

/** A list of at most `max` texts that match a pattern; `message` is the refusal of a text that does not. */
export function PatternListField(
  pattern: RegExp,
  message: string,
  max: number,
  options: FieldOptions = {},
): PropertyDecorator {
  const isText = (value: unknown): value is string => typeof value === 'string';
  return requestField(
    options,
    { type: 'array', maxItems: max, items: { type: 'string', pattern: pattern.source } },
    fieldRule('list', 'must be a list', Array.isArray),
    fieldRule('maxItems', `has more than ${max} items`, (value) => Array.isArray(value) && value.length <= max),
    fieldRule('texts', 'must contain texts only', (value) => Array.isArray(value) && value.every(isText)),
    fieldRule(
      'pattern',
      `each ${message}`,
      (value) => Array.isArray(value) && value.every((text) => pattern.test(text)),
    ),
  );
}

/** The id of a resource, a UUID in lower or upper case, read in lower case. */
export function ResourceIDField(options: FieldOptions = {}): PropertyDecorator {
  const isID = textRule('id', 'is not an id', (text) => ID_PATTERN.test(text));
  return textField(options, { format: 'uuid' }, (text) => text.toLowerCase(), isID);
}

/** A time in ISO 8601 with a zone or offset, kept as the text that was sent. */
export function DateTimeField(options: FieldOptions = {}): PropertyDecorator {
  const isTime = textRule('dateTime', NOT_A_DATE_TIME_MESSAGE, (text) => DATE_TIME.test(text));
  const isInYears = textRule('years', NOT_STORABLE_MESSAGE, (text) => isStorable(new Date(text)));
  return textField(options, { format: 'date-time' }, keepAsSent, isTime, isInYears);
}

/** A future time in ISO 8601, read as a Date; null or absent = never. A time that is not after now is refused. */
export function ExpiryField(): PropertyDecorator {
  const read = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && DATE_TIME.test(value) ? new Date(value) : value,
  );
  return requestField(
    { optional: true, nullable: true, examples: ['2030-01-31T00:00:00Z'] },
    { type: 'string', format: 'date-time' },
    read,
    fieldRule('text', 'must be a text', (value) => typeof value === 'string' || value instanceof Date),
    fieldRule('dateTime', NOT_A_DATE_TIME_MESSAGE, (value) => value instanceof Date),
    fieldRule('years', NOT_STORABLE_MESSAGE, (value) => value instanceof Date && isStorable(value)),
    fieldRule('future', 'is in the past', (value) => value instanceof Date && value.getTime() > Date.now()),
  );
}

export function FlagField(options: FieldOptions = {}): PropertyDecorator {
  const isFlag = fieldRule('boolean', 'must be true or false', (value) => typeof value === 'boolean');
  return requestField(options, { type: 'boolean' }, isFlag);
}

export function OneOfField(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const isOne = fieldRule('oneOf', `must be one of ${values.join(', ')}`, (value) =>
    values.some((one) => one === value),
  );
  return requestField(options, { type: 'string', enum: [...values] }, isOne);
}

/** A list of at least one of the values. */
export function SomeOfField(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const max = values.length;
  const isKnown = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => values.some((one) => one === item));
  return requestField(
    options,
    { type: 'array', minItems: 1, maxItems: max, items: { type: 'string', enum: [...values] } },
    fieldRule('list', 'must be a list', Array.isArray),
    fieldRule('maxItems', `has more than ${max} items`, (value) => Array.isArray(value) && value.length <= max),
    fieldRule('someOf', `must have at least one of ${values.join(', ')}, and nothing else`, isKnown),
  );
}

const isNumber = fieldRule(
  'number',
  'must be a number',
  (value) => typeof value === 'number' && Number.isFinite(value),
);

export function WholeNumberField(min: number, max: number, options: FieldOptions = {}): PropertyDecorator {
  const isWhole = numberRule('whole', 'must be a whole number', Number.isInteger);
  return requestField(
    options,
    { type: 'integer', minimum: min, maximum: max },
    isNumber,
    isWhole,
    rangeRules(min, max),
  );
}

/** An amount from 0 to `max`, with at most two decimals. */
export function AmountField(max: number, options: FieldOptions = {}): PropertyDecorator {
  const schema = { type: 'number', minimum: 0, maximum: max, multipleOf: 0.01 };
  const isRound = numberRule('decimals', 'has more than two decimals', (value) => Number(value.toFixed(2)) === value);
  return requestField(options, schema, isNumber, rangeRules(0, max), isRound);
}

/**
 * A whole number in a query or path, where every value is a text; `message` is for texts that are no number of the expected digits: up to 4
 * with a maximum, and otherwise up to 15, which a double holds exactly.
 */
export function QueryNumberField(
  { min, max, message }: { min: number; max?: number; message: string },
  options: FieldOptions = {},
): PropertyDecorator {
  const digits = new RegExp(`^\\d{1,${max === undefined ? 15 : 4}}$`);
  const read = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && digits.test(value) ? Number(value) : value,
  );
  return requestField(
    options,
    { type: 'integer', minimum: min, ...(max !== undefined && { maximum: max }) },
    read,
    fieldRule('text', 'must be a text', (value) => typeof value === 'string' || typeof value === 'number'),
    fieldRule('digits', message, (value) => typeof value === 'number'),
    rangeRules(min, max ?? Number.MAX_SAFE_INTEGER),
  );
}

/** A query with one or several of the values, separated by commas. */
export function QueryListField(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const read = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? [...new Set(value.split(','))] : value,
  );
  const pattern = values.map((one) => one.replaceAll('.', '\\.')).join('|');
  const isKnown = (value: unknown) => Array.isArray(value) && value.every((item) => values.some((one) => one === item));
  return requestField(
    options,
    { type: 'string', pattern: `^(${pattern})(,(${pattern}))*$` },
    read,
    fieldRule('list', `must be one or several of ${values.join(', ')}, separated by commas`, isKnown),
  );
}

/** Any JSON, kept as it was sent. */
export function AnyJsonField(options: FieldOptions = {}): PropertyDecorator {
  return requestField(options, { anyOf: [{}] });
}

/**
 * Values of Matrix variables by name, kept as they were sent, because execution converts them. A value that is nested
 * too deeply, or has a number that no double holds, is refused here (interpretation 52).
 */
export function MatrixValuesField(options: FieldOptions = {}): PropertyDecorator {
  const isObject = fieldRule('object', 'must be an object', isPlainObject);
  const validator = {
    validate: (matrix: unknown) => sentMatrixProblem(matrix) === undefined,
    defaultMessage: (sent?: { value: unknown }) => sentMatrixProblem(sent?.value) ?? '',
  };
  const isHeld = ValidateBy({ name: 'held', validator }, refusedAs('INVALID_MATRIX', { namesField: true }));
  return requestField(options, { type: 'object', additionalProperties: true }, isObject, isHeld);
}

export function ObjectField(type: () => DtoClass, options: FieldOptions = {}): PropertyDecorator {
  return combineDecorators(requestField(options, { type: () => type() }), NestedObject(type));
}

export function ListField(type: () => DtoClass, max: number, options: FieldOptions = {}): PropertyDecorator {
  return combineDecorators(
    requestField(options, { type: () => type(), isArray: true, maxItems: max }),
    NestedList(type, max),
  );
}

/** Whether the database holds the time; the offset of a time in ISO 8601 may lead beyond. */
function isStorable(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9_999;
}

function keepAsSent(text: string): string {
  return text;
}
