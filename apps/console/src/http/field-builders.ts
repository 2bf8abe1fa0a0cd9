import { combineDecorators, presenceRule, fieldRule, type PresenceOptions } from '@batuta/http';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { lengthOf } from './text';

/**
 * The options of a field's decorator that do not depend on its type. `default` documents the initial value of the class
 * field.
 */
export interface FieldOptions extends PresenceOptions {
  default?: unknown;
  description?: string;
  examples?: unknown[];
}

/**
 * Builds the decorator of a request field: whether it may be absent, its rules in the order of their checks, and its
 * schema in the OpenAPI document.
 */
export function requestField(
  { optional, nullable, ...notes }: FieldOptions,
  schema: object,
  ...rules: PropertyDecorator[]
) {
  const required = !optional && notes.default === undefined;
  const property: ApiPropertyOptions = Object.assign({ required, nullable }, schema, notes);
  return combineDecorators(presenceRule({ optional, nullable }), ...rules, ApiProperty(property));
}

/** A field that is a text; `read` normalizes it before its rules are checked. */
export function textField(
  options: FieldOptions,
  schema: object,
  read: (text: string) => string,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const normalize = Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value) : value));
  const isText = fieldRule('text', 'must be a text', (value) => typeof value === 'string');
  return requestField(options, { type: 'string', ...schema }, normalize, isText, ...rules);
}

/** A rule of a text; a value of another type is refused by an earlier rule. */
export function textRule(name: string, message: string, holds: (text: string) => boolean): PropertyDecorator {
  return fieldRule(name, message, (value) => typeof value === 'string' && holds(value));
}

export function lengthRules({ min = 0, max }: { min?: number; max: number }): PropertyDecorator {
  const tooShort = min === 1 ? 'is empty' : `has fewer than ${min} characters`;
  return combineDecorators(
    textRule('minLength', tooShort, (text) => lengthOf(text) >= min),
    textRule('maxLength', `is longer than ${max} characters`, (text) => lengthOf(text) <= max),
  );
}

/** A rule of a number; a value of another type is refused by an earlier rule. */
export function numberRule(name: string, message: string, holds: (value: number) => boolean): PropertyDecorator {
  return fieldRule(name, message, (value) => typeof value === 'number' && holds(value));
}

export function rangeRules(min: number, max: number): PropertyDecorator {
  return combineDecorators(
    numberRule('min', `must be at least ${min}`, (value) => value >= min),
    numberRule('max', `must be at most ${max}`, (value) => value <= max),
  );
}
