import { convertValue, valueWithoutDefault } from './convert';
import { matrixRefusal } from './refusal';
import type { MatrixType, MatrixValue, MatrixVariable, ValueSource } from './types';

/** A Matrix variable as the API returns it (contract 2.5). */
export interface MatrixDefinition {
  name: string;
  type: MatrixType;
  /** The converted default, else the value of `valueWithoutDefault`; empty text for a Secreto. */
  default: unknown;
}

/**
 * The values at the start of an instance: the sent value unless it is null, else the registered default, else the empty value (contract 2.6,
 * interpretation 31). `values` has every variable in the order of registration, and no prototype; `secrets` has the names of
 * the Secreto variables. Throws INVALID_MATRIX, whose message names the variable, for an unknown name or a value that does not
 * convert, and for an input that is no object.
 */
export function convertMatrix(
  variables: MatrixVariable[],
  input: Record<string, unknown> | undefined,
  source: ValueSource = 'body',
): { values: Record<string, MatrixValue>; secrets: string[] } {
  const sent = sentValues(input);
  const known = new Set(variables.map(({ name }) => name));
  for (const name of sent.keys()) if (!known.has(name)) throw matrixRefusal(name, 'no such variable in this process');

  const values: Record<string, MatrixValue> = Object.create(null);
  for (const variable of variables) {
    const value = sent.get(variable.name) ?? null;
    values[variable.name] =
      value === null ? defaultValue(variable) : convertValue(variable.type, value, variable.name, source);
  }
  return { values, secrets: variables.filter(({ type }) => type === 'Secreto').map(({ name }) => name) };
}

/**
 * The converted default to store when a variable is registered (contract 2.5). null, undefined and blank text (for a Secreto only empty text, for a
 * Texto no text) mean that there is no default, and become the empty value. Throws INVALID_MATRIX, whose message names `field`, for a default that
 * does not convert and for a default of a Secreto.
 */
export function convertDefault(type: MatrixType, value: unknown, field: string): MatrixValue {
  if (type === 'Secreto') {
    if (value === null || value === undefined || value === '') return valueWithoutDefault(type);
    throw matrixRefusal(field, 'a Secreto has no default');
  }
  const blank = typeof value === 'string' && value.trim() === '' && type !== 'Texto';
  return blank ? valueWithoutDefault(type) : convertValue(type, value, field);
}

/** The public part of a variable; the default of a Secreto is always shown as empty (contract 2.5). */
export function publicDefinition({ name, type, default: registered }: MatrixVariable): MatrixDefinition {
  return { name, type, default: type === 'Secreto' ? '' : (registered ?? valueWithoutDefault(type)) };
}

function defaultValue({ name, type, default: registered }: MatrixVariable): MatrixValue {
  return type === 'Secreto' ? valueWithoutDefault(type) : convertDefault(type, registered, name);
}

// A Map, because a caller may send the names `__proto__` and `constructor`.
function sentValues(input: Record<string, unknown> | undefined): Map<string, unknown> {
  const isObject = input === undefined || (typeof input === 'object' && !Array.isArray(input));
  if (!isObject) throw matrixRefusal('matrix', 'must be an object');
  return new Map(Object.entries(input ?? {}));
}
