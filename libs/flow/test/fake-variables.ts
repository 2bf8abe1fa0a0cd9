import type { MatrixType } from '@batuta/matrix';
import type { ReadableVariables } from '../src/variables/resolve-reference';

/** Variables for tests, from a record of values and a record of types. */
export function variablesOf(
  values: Record<string, unknown>,
  types: Record<string, MatrixType> = {},
): ReadableVariables {
  return {
    has: (name) => Object.hasOwn(values, name),
    get: (name) => values[name],
    typeOf: (name) => types[name],
  };
}
