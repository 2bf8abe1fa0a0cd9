import { convertValue, emptyValue } from './convert';
import { refusal } from './refusal';
import type { MatrixType, MatrixValue, MatrixVariable, ValueSource } from './types';

/** A Matrix field as the API shows it (contract 2.5). */
export interface MatrixDefinition {
  name: string;
  type: MatrixType;
  default: unknown;
}

/**
 * The values that an execution starts with: what was sent, else the registered default, else empty (contract 2.6, interpretation
 * 31). `values` has every variable, in the order of registration, and no prototype; `secrets` names the Secreto ones.
 * Throws INVALID_MATRIX for a name that is not registered and for a value that does not fit, naming it.
 */
export function convertMatrix(
  variables: MatrixVariable[],
  input: Record<string, unknown> | undefined,
  source: ValueSource = 'body',
): { values: Record<string, MatrixValue>; secrets: string[] } {
  const sent = sentValues(input);
  const known = new Set(variables.map(({ name }) => name));
  for (const name of sent.keys()) if (!known.has(name)) throw refusal(name, 'no such variable in this process');

  const values: Record<string, MatrixValue> = Object.create(null);
  for (const variable of variables) {
    const value = sent.get(variable.name) ?? null;
    values[variable.name] =
      value === null ? defaultValue(variable) : convertValue(variable.type, value, variable.name, source);
  }
  return { values, secrets: variables.filter(({ type }) => type === 'Secreto').map(({ name }) => name) };
}

/**
 * The default to store for a variable that is being registered, already converted. null, nothing at all and, where the
 * type has no use for it, blank text mean "no default" and give the empty value.
 * Throws INVALID_MATRIX, naming `field`, when it does not fit or when a Secreto has one (contract 2.5).
 */
export function convertDefault(type: MatrixType, value: unknown, field: string): MatrixValue {
  if (type === 'Secreto') {
    if (value === null || value === undefined || value === '') return emptyValue(type);
    throw refusal(field, 'a Secreto has no default');
  }
  const blank = typeof value === 'string' && value.trim() === '' && type !== 'Texto';
  return blank ? emptyValue(type) : convertValue(type, value, field);
}

/** What everyone who may read the process sees of a variable; nothing of a Secreto but its name (contract 2.5). */
export function publicDefinition({ name, type, default: registered }: MatrixVariable): MatrixDefinition {
  return { name, type, default: type === 'Secreto' ? '' : (registered ?? emptyValue(type)) };
}

function defaultValue({ name, type, default: registered }: MatrixVariable): MatrixValue {
  return type === 'Secreto' ? emptyValue(type) : convertDefault(type, registered, name);
}

// A Map, because `__proto__` and `constructor` are names that a caller can send.
function sentValues(input: Record<string, unknown> | undefined): Map<string, unknown> {
  const isObject = input === undefined || (typeof input === 'object' && !Array.isArray(input));
  if (!isObject) throw refusal('matrix', 'must be an object');
  return new Map(Object.entries(input ?? {}));
}
