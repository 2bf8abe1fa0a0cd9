import type { MatrixType } from '@batuta/matrix';
import type { Variables } from '../src/variables';

/** For tests: variables from a plain record, with the types of those that have one. */
export function variablesOf(values: Record<string, unknown>, types: Record<string, MatrixType> = {}): Variables {
  return {
    has: (name) => Object.hasOwn(values, name),
    get: (name) => values[name],
    typeOf: (name) => types[name],
  };
}
