import { ApiError, isErrorCode, type ErrorCode } from '@batuta/errors';
import { isTooDeep } from '@batuta/matrix';
import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import type { ValidationError } from 'class-validator';
import { isPlainObject, misspelledField, toDto, withoutUnknown } from './to-dto';

/** class-validator's own name for the rule that a property must be declared. */
const UNKNOWN_FIELD_RULE = 'whitelistValidation';
/** A Matrix value has up to 100 levels, and a body holds it a few levels deeper; its own field says that limit (docs/matrix.md). */
const MAX_DEPTH = 104;

interface RefusalOptions {
  /** Whether the validator's message begins with a field name of its own, which differs from the name of the property. */
  namesField?: boolean;
}

/**
 * For a validator's options: a violation is answered with this code instead of BAD_REQUEST, as in
 * `@IsString({ ...refusedAs('INVALID_NAME'), message: 'must be a text' })`.
 */
export function refusedAs(code: ErrorCode, options: RefusalOptions = {}): { context: object } {
  return { context: { code, ...options } };
}

export interface PipeOptions {
  /**
   * What happens to fields that no DTO class declares; default: `refused`. `ignored` still refuses a field or query parameter that differs from
   * a declared one only in case or punctuation, such as `dryrun` for `dryRun` or `environmentId` for `environmentID`, and a
   * query parameter with a declared one before or in brackets, such as `dryRun[a]`: ignoring it would start for real, or elsewhere.
   */
  unknownFields?: 'refused' | 'ignored';
  /** Maximum levels of nesting, by default 104; 'unlimited' when the rules of each field limit its depth. */
  maxDepth?: number | 'unlimited';
}

/**
 * The ValidationPipe of every HTTP route: DTO classes say the rules, unknown fields are refused unless told otherwise, and
 * the first violation is an ApiError whose message names the field (`steps.0.name: is empty`) and never repeats what was
 * sent, which may be a secret (contract 7).
 */
export function validationPipe(options: PipeOptions = {}): ValidationPipe {
  return new DtoPipe(options);
}

/** Throws BAD_REQUEST for lists and objects nested in more than `maxDepth` levels. */
export function refuseDeepNesting(value: unknown, maxDepth = MAX_DEPTH): void {
  if (isTooDeep(value, maxDepth)) throw new ApiError('BAD_REQUEST', `body: is nested deeper than ${maxDepth} levels`);
}

function refuseMisspelledField(type: new () => unknown, fields: object, kind: ArgumentMetadata['type']): void {
  const misspelled = misspelledField(type, fields, kind === 'query' ? spellingsOfParameter : undefined);
  if (misspelled === undefined) return;
  throw new ApiError('BAD_REQUEST', `${misspelled.sent}: is not a known field; its name is ${misspelled.declared}`);
}

/** The whole name, and the parts that brackets make of it: some clients write lists and objects as `limit[]`, `limit[gte]` or `page[limit]`. */
function spellingsOfParameter(name: string): string[] {
  return [name, ...name.split(/[[\]]/)];
}

/** A query parameter that occurs several times is parsed as a list, and no route takes one. */
function refuseRepeatedParameter(query: object): void {
  const repeated = Object.entries(query).find(([, value]) => Array.isArray(value));
  if (repeated) throw new ApiError('BAD_REQUEST', `${repeated[0]}: is sent more than once`);
}

function readObject<T>(type: new () => T, plain: unknown): T {
  return toDto(type, isPlainObject(plain) ? plain : {});
}

/** Nest's pipe, made safe for hostile JSON: it refuses what is nested too deeply or is no object before it reads fields. */
class DtoPipe extends ValidationPipe {
  /** DTO classes that have proved valid without any field, such as the query of a start; they need no second validation. */
  private readonly validWithoutFields = new WeakSet<object>();

  constructor(private readonly options: PipeOptions) {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
      exceptionFactory: violationError,
      transformerPackage: { plainToInstance: readObject, classToPlain: instanceToPlain },
    });
  }

  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    if (!metatype || !this.toValidate(metadata)) return sent;
    const value = sent === undefined ? {} : sent;
    const { unknownFields = 'refused', maxDepth = MAX_DEPTH } = this.options;
    if (maxDepth !== 'unlimited') refuseDeepNesting(value, maxDepth);
    if (!isPlainObject(value)) throw new ApiError('BAD_REQUEST', 'body: must be an object');
    if (unknownFields === 'ignored') refuseMisspelledField(metatype, value, metadata.type);
    const fields = unknownFields === 'ignored' ? withoutUnknown(metatype, value) : value;
    if (metadata.type === 'query') refuseRepeatedParameter(fields);
    const hasNoFields = Object.keys(fields).length === 0;
    if (hasNoFields && this.validWithoutFields.has(metatype)) return readObject(metatype, fields);
    const dto: unknown = await super.transform(fields, metadata);
    if (hasNoFields) this.validWithoutFields.add(metatype);
    return dto;
  }

  /** Nest would remove fields such as `__proto__`, even from values that may be any JSON; `toDto` refuses or keeps them. */
  protected override stripProtoKeys(): void {}

  /** Nest would walk over the whole value, but parsed JSON has no arrays with gaps. */
  protected override closeArrayGaps(): void {}
}

/** The ApiError of the first violation, depth first in the order of the DTO's fields; unknown fields come last. */
function violationError(errors: ValidationError[]): ApiError {
  const path: string[] = [];
  let error = firstOf(errors);
  while (error) {
    path.push(error.property);
    const [rule, message] = Object.entries(error.constraints ?? {})[0] ?? [];
    if (rule !== undefined) return refusalOf(path, rule, message ?? '', error.contexts?.[rule]);
    error = firstOf(error.children ?? []);
  }
  return new ApiError('BAD_REQUEST', 'body: is malformed');
}

function firstOf(errors: ValidationError[]): ValidationError | undefined {
  return errors.find(({ constraints }) => constraints?.[UNKNOWN_FIELD_RULE] === undefined) ?? errors[0];
}

function refusalOf(
  path: string[],
  rule: string,
  message: string,
  context?: RefusalOptions & { code?: unknown },
): ApiError {
  const code = isErrorCode(context?.code) ? context.code : 'BAD_REQUEST';
  if (context?.namesField) return new ApiError(code, message);
  return new ApiError(code, `${path.join('.')}: ${rule === UNKNOWN_FIELD_RULE ? 'is not a known field' : message}`);
}
