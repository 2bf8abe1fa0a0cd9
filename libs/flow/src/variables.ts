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
 * Finds what a reference means (spec 2.12). The longest leading part that names a variable is the variable, so
 * `invoice.FILE` or `matrix.payload` are found whole; what follows is a path of own keys and list indexes into its value.
 * A path that leads nowhere gives `undefined`; a name that no variable leads gives no result at all.
 */
export function resolveReference(name: string, variables: Variables): Resolved | undefined {
  const segments = name.split('.');
  for (let length = segments.length; length > 0; length -= 1) {
    const variable = segments.slice(0, length).join('.');
    if (!variables.has(variable)) continue;
    const path = segments.slice(length);
    const value = path.reduce<unknown>(fieldOf, variables.get(variable));
    return path.length > 0 ? { variable, value } : { variable, value, type: variables.typeOf?.(variable) };
  }
  return undefined;
}

/** Own keys only: `{order.constructor}` must not reach into JavaScript itself. */
export function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
