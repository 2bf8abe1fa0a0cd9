import { ApiError, isErrorCode, type ErrorCode } from '@batuta/errors';
import { isTooDeep } from '@batuta/matrix';
import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import type { ValidationError } from 'class-validator';
import { isPlainObject, toDto } from './to-dto';

/** class-validator's own name for the rule that a property must be declared. */
const UNKNOWN_FIELD = 'whitelistValidation';
const MAX_DEPTH = 64;

interface RefusalOptions {
  /** The message is the code's own, which does not name the field. */
  codeMessage?: boolean;
}

/**
 * For a validator's options: a violation is answered with this code instead of BAD_REQUEST, as in
 * `@IsString({ ...refusedAs('INVALID_NAME'), message: 'must be a text' })`.
 */
export function refusedAs(code: ErrorCode, options: RefusalOptions = {}): { context: object } {
  return { context: { code, ...options } };
}

/**
 * The ValidationPipe of every HTTP route: DTO classes say the rules, unknown fields are refused, and the first violation is
 * an ApiError whose message names the field (`steps.0.name: is empty`) and never repeats what was sent, which may be a
 * secret (contract 7).
 */
export function validationPipe(): ValidationPipe {
  return new DtoPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
    exceptionFactory: violationError,
    transformerPackage: { plainToInstance: readObject, classToPlain: instanceToPlain },
  });
}

/** Throws BAD_REQUEST for lists and objects nested in more than 64 levels; `undefined` is no body. */
export function refuseDeepNesting(value: unknown): void {
  if (isTooDeep(value, MAX_DEPTH)) throw new ApiError('BAD_REQUEST', `body: is nested deeper than ${MAX_DEPTH} levels`);
}

function readObject<T>(type: new () => T, plain: unknown): T {
  return toDto(type, isPlainObject(plain) ? plain : {});
}

/** Nest's pipe, made safe for hostile JSON: it refuses what is nested too deeply or is no object before it reads fields. */
class DtoPipe extends ValidationPipe {
  override async transform(value: unknown = {}, metadata: ArgumentMetadata): Promise<unknown> {
    if (!this.toValidate(metadata)) return value;
    refuseDeepNesting(value);
    if (!isPlainObject(value)) throw new ApiError('BAD_REQUEST', 'body: must be an object');
    return super.transform(value, metadata);
  }

  /** Nest would remove fields of these names, also from free JSON; `toDto` refuses or keeps them. */
  protected override stripProtoKeys(): void {}
}

/** The ApiError of the first violation, depth first in the order of the DTO's fields; unknown fields come last. */
export function violationError(errors: ValidationError[]): ApiError {
  const path: string[] = [];
  let error = firstOf(errors);
  while (error) {
    path.push(error.property);
    const [rule, message] = Object.entries(error.constraints ?? {})[0] ?? [];
    if (rule !== undefined) return refusal(path, rule, message ?? '', error.contexts?.[rule]);
    error = firstOf(error.children ?? []);
  }
  return new ApiError('BAD_REQUEST', 'body: is malformed');
}

function firstOf(errors: ValidationError[]): ValidationError | undefined {
  return errors.find(({ constraints }) => constraints?.[UNKNOWN_FIELD] === undefined) ?? errors[0];
}

function refusal(
  path: string[],
  rule: string,
  message: string,
  context?: RefusalOptions & { code?: unknown },
): ApiError {
  const code = isErrorCode(context?.code) ? context.code : 'BAD_REQUEST';
  if (context?.codeMessage) return new ApiError(code);
  return new ApiError(code, `${path.join('.')}: ${rule === UNKNOWN_FIELD ? 'is not a known field' : message}`);
}
