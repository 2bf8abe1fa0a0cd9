import { ValidateBy, ValidateIf, type ValidationOptions } from 'class-validator';

export interface PresenceOptions {
  /** Whether the field may be absent. */
  optional?: boolean;
  /** Whether the field may be null. */
  nullable?: boolean;
}

/** Several property decorators as one; they apply, and their rules are checked, in the given order. */
export function combineDecorators(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** A validation rule of one field; in the refusal `message` follows the field's name. */
export function fieldRule(
  name: string,
  message: string,
  holds: (value: unknown) => boolean,
  options?: ValidationOptions,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: holds, defaultMessage: () => message } }, options);
}

/**
 * Whether a field may be absent or null; must come before its other rules. Unlike IsOptional of class-validator it keeps the
 * two apart: a field that may be absent still refuses null.
 */
export function presenceRule({ optional = false, nullable = false }: PresenceOptions): PropertyDecorator {
  return combineDecorators(
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(nullable ? [ValidateIf((_, value) => value !== null)] : []),
    fieldRule('required', 'is required', (value) => value !== undefined),
  );
}
