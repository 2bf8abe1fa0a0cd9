import { ApiError, isErrorCode, type ErrorCode } from '@batuta/errors';
import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';

/** class-validator's own name for the rule that a property must be declared. */
const UNKNOWN_FIELD = 'whitelistValidation';

/**
 * For a validator's options: a violation is answered with this code instead of BAD_REQUEST, as in
 * `@IsString({ ...refusedAs('INVALID_NAME'), message: 'must be a text' })`.
 */
export function refusedAs(code: ErrorCode): { context: { code: ErrorCode } } {
  return { context: { code } };
}

/**
 * The ValidationPipe of every HTTP route: DTO classes say the rules, unknown fields are refused, and the first violation is
 * an ApiError whose message names the field (`steps.0.name: is empty`) and never repeats what was sent, which may be a
 * secret (contract 7).
 */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
    exceptionFactory: violationError,
  });
}

/** The ApiError of the first violation, depth first in the order of the DTO's fields. */
export function violationError(errors: ValidationError[]): ApiError {
  const path: string[] = [];
  let error = errors[0];
  while (error) {
    path.push(error.property);
    const [rule, message] = Object.entries(error.constraints ?? {})[0] ?? [];
    if (rule !== undefined) {
      const code: unknown = error.contexts?.[rule]?.code;
      const text = rule === UNKNOWN_FIELD ? 'is not a known field' : message;
      return new ApiError(isErrorCode(code) ? code : 'BAD_REQUEST', `${path.join('.')}: ${text}`);
    }
    error = error.children?.[0];
  }
  return new ApiError('BAD_REQUEST', 'body: is malformed');
}
