import { readID } from '@batuta/auth';
import type { ErrorCode } from '@batuta/errors';
import { combineDecorators, refusedAs, fieldRule } from '@batuta/http';
import { sentMatrixProblem } from '@batuta/matrix';
import { Transform } from 'class-transformer';
import { IsBoolean, ValidateBy } from 'class-validator';

// Decorators for fields of DTO classes: each converts a value and validates it.

/**
 * A whole number of a query, from `minimum` to `maximum` inclusive. A number that is out of range is refused and not clamped: BAD_REQUEST
 * names the parameter (interpretation 17).
 */
export function IsWholeNumber(minimum: number, maximum: number): PropertyDecorator {
  const isInRange = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return combineDecorators(
    Transform(({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value)),
    fieldRule('wholeNumber', `must be a whole number from ${minimum} to ${maximum}`, isInRange),
  );
}

/** A query parameter that is `true` or `false`. */
export function IsQueryFlag(): PropertyDecorator {
  return combineDecorators(
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: 'must be true or false' }),
  );
}

/**
 * A UUID in upper or lower case, which is converted to the case that the database uses. Anything else is refused with `code` and `message`;
 * `namesField` says that the message names the field already.
 */
export function IsID(code: ErrorCode, message: string, options?: { namesField: boolean }): PropertyDecorator {
  return combineDecorators(
    Transform(({ value }) => readID(value) ?? value),
    fieldRule('isID', message, (value) => readID(value) !== undefined, refusedAs(code, options)),
  );
}

/**
 * Values of Matrix variables by name. Execution converts them; the gateway refuses only values that the JSON between
 * the services cannot carry.
 */
export function IsMatrix(): PropertyDecorator {
  const validator = {
    validate: (matrix: unknown) => sentMatrixProblem(matrix) === undefined,
    defaultMessage: (field?: { value: unknown }) => sentMatrixProblem(field?.value) ?? '',
  };
  return ValidateBy({ name: 'isMatrix', validator }, refusedAs('INVALID_MATRIX', { namesField: true }));
}
