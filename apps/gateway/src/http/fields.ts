import { readID } from '@batuta/auth';
import type { ErrorCode } from '@batuta/errors';
import { combined, refusedAs, rule } from '@batuta/http';
import { sentMatrixProblem } from '@batuta/matrix';
import { Transform } from 'class-transformer';
import { IsBoolean, ValidateBy } from 'class-validator';

// Decorators for fields of DTO classes: each converts a value and validates it.

/**
 * A whole number of a query. A number that is out of range is refused and not clamped: BAD_REQUEST names the parameter
 * (interpretation 17).
 */
export function WholeNumber(minimum: number, maximum: number): PropertyDecorator {
  const isInRange = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return combined(
    Transform(({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value)),
    rule('wholeNumber', `must be a whole number from ${minimum} to ${maximum}`, isInRange),
  );
}

/** `true` or `false` in a query. */
export function Flag(): PropertyDecorator {
  return combined(
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: 'must be true or false' }),
  );
}

/** A UUID in upper or lower case, which becomes the form in which the database holds it. */
export function IsID(code: ErrorCode, message: string, options?: { namesField: boolean }): PropertyDecorator {
  return combined(
    Transform(({ value }) => readID(value) ?? value),
    rule('isID', message, (value) => readID(value) !== undefined, refusedAs(code, options)),
  );
}

/** Values of Matrix variables by name. Execution converts them; what JSON cannot carry there is refused here. */
export function IsMatrix(): PropertyDecorator {
  const validator = {
    validate: (matrix: unknown) => sentMatrixProblem(matrix) === undefined,
    defaultMessage: (field?: { value: unknown }) => sentMatrixProblem(field?.value) ?? '',
  };
  return ValidateBy({ name: 'isMatrix', validator }, refusedAs('INVALID_MATRIX', { namesField: true }));
}
