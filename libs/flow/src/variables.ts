import type { MatrixType } from '@batuta/matrix';

/** What templates and code read from: the variables of one execution, by their full names (`matrix.total`, `order`). */
export interface Variables {
  has(name: string): boolean;
  get(name: string): unknown;
  /** The type of a Matrix variable or of a flow variable with a Tipo; automatic variables have none. */
  typeOf?(name: string): MatrixType | undefined;
}

export interface Resolved {
  /** Full name of the variable that was read: `matrix.payload` for `{matrix.payload.issue.title}`. */
  variable: string;
  value: unknown;
  /** Only when the variable itself was read, not a field of its value. */
  type?: MatrixType;
}

/**
 * The variable that a reference reads: the longest leading part that names one, so that `invoice.FILE` and
 * `matrix.payload` are found whole; undefined when no variable leads it. Reads no value.
 */
export function variableOf(reference: string, variables: Pick<Variables, 'has'>): string | undefined {
  for (let end = reference.length; end > 0; end = reference.lastIndexOf('.', end - 1)) {
    const name = reference.slice(0, end);
    if (variables.has(name)) return name;
  }
  return undefined;
}

/**
 * Reads what a reference means (contract 2.12): its variable, then what follows as a path of own keys and list indexes into
 * the value. A path that leads nowhere gives the value undefined; a reference that no variable leads gives no result.
 */
export function resolveReference(reference: string, variables: Variables): Resolved | undefined {
  const variable = variableOf(reference, variables);
  if (variable === undefined) return undefined;
  const value = variables.get(variable);
  if (variable === reference) return { variable, value, type: variables.typeOf?.(variable) };
  const path = reference.slice(variable.length + 1).split('.');
  return { variable, value: path.reduce<unknown>(fieldOf, value) };
}

/** Own keys only: `{order.constructor}` must not reach into JavaScript itself. */
export function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
