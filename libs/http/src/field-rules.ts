import { ValidateBy, ValidateIf, type ValidationOptions } from 'class-validator';

export interface Presence {
  /** The field may be absent. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
}

/** Several property decorators as one; they apply, and their rules are checked, in the given order. */
export function combined(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** A rule for one field; `message` follows the field's name in the refusal. */
export function rule(
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
export function presence({ optional = false, nullable = false }: Presence): PropertyDecorator {
  return combined(
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(nullable ? [ValidateIf((_, value) => value !== null)] : []),
    rule('required', 'is required', (value) => value !== undefined),
  );
}
