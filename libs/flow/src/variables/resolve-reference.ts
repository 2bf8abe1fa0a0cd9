import type { MatrixType } from '@batuta/matrix';

/** Read access to the variables of one execution, by their full names (`matrix.total`, `order`), for templates and code. */
export interface ReadableVariables {
  has(name: string): boolean;
  get(name: string): unknown;
  /** The type of a Matrix variable or of a flow variable with a Tipo; automatic variables have no type. */
  typeOf?(name: string): MatrixType | undefined;
}

export interface ResolvedReference {
  /** Full name of the variable that was read: `matrix.payload` for `{matrix.payload.issue.title}`. */
  variable: string;
  value: unknown;
  /** Present only when the reference is the variable itself and not a field of its value. */
  type?: MatrixType;
}

/**
 * The name of the variable that a reference reads: its longest prefix (up to a dot or the end) that is a variable, because
 * names such as `invoice.FILE` have dots. Undefined when no prefix is a variable. Reads no value.
 */
export function variableOf(reference: string, variables: Pick<ReadableVariables, 'has'>): string | undefined {
  for (let end = reference.length; end > 0; end = reference.lastIndexOf('.', end - 1)) {
    const name = reference.slice(0, end);
    if (variables.has(name)) return name;
  }
  return undefined;
}

/**
 * Reads the value of a reference (contract 2.12): takes the value of its variable and follows the rest of the reference as a path of own
 * keys and list indexes. A path that does not exist has the value undefined. Returns undefined when no prefix of the
 * reference is a variable.
 */
export function resolveReference(reference: string, variables: ReadableVariables): ResolvedReference | undefined {
  const variable = variableOf(reference, variables);
  if (variable === undefined) return undefined;
  const value = variables.get(variable);
  if (variable === reference) return { variable, value, type: variables.typeOf?.(variable) };
  const path = reference.slice(variable.length + 1).split('.');
  return { variable, value: path.reduce<unknown>(fieldOf, value) };
}

/** Own keys only: `{order.constructor}` must not reach JavaScript's own objects. */
export function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
