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

/** A validation rule of one field; a refusal consists of the field's name and `message`. */
export function fieldRule(
  name: string,
  message: string,
  holds: (value: unknown) => boolean,
  options?: ValidationOptions,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: holds, defaultMessage: () => message } }, options);
}

/**
 * Whether a field may be absent or null. It must apply before the field's other rules: within one `combineDecorators` it comes first, whereas of
 * decorators that stand above each other the lowest applies first, so it stands lowest. Unlike class-validator's IsOptional, it distinguishes the
 * two cases: a field that may be absent still refuses null. `refusal` may hold the code for a field that is absent (`refusedAs`).
 */
export function presenceRule(
  { optional = false, nullable = false }: PresenceOptions,
  refusal?: ValidationOptions,
): PropertyDecorator {
  return combineDecorators(
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(nullable ? [ValidateIf((_, value) => value !== null)] : []),
    fieldRule('required', 'is required', (value) => value !== undefined, refusal),
  );
}
