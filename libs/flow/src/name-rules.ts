import type { Names } from './names';
import { FLOW_LIMITS } from './schema';
import { isSystemVariable } from './system-variables';
import { bracesAt } from './template';

const RESERVED_PREFIXES = ['matrix.', 'connector.', 'vault.'];

/** What is wrong with the name of a new flow variable or of an `as`, worded to follow it (contract 2.12). */
export function newNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'is required';
  if (/[{}]/.test(name)) return 'must not contain braces';
  if (Array.from(name).length > FLOW_LIMITS.name) return `must have at most ${FLOW_LIMITS.name} characters`;
  const prefix = RESERVED_PREFIXES.find((each) => name.startsWith(each));
  if (prefix) return `must not start with "${prefix}"`;
  if (isSystemVariable(name)) return `"${name}" is the name of a system variable`;
  if (!bracesAt(`{${name}}`, 0, () => true)) return 'must not begin or end with a space or contain a line break';
  return undefined;
}

/** What is wrong with the target of an assignment in the given row (contract 2.12, interpretation 45). */
export function targetProblem(name: string, place: { step: number; row: number }, names: Names): string | undefined {
  if (isSystemVariable(name)) return `"${name}" is a system variable and cannot be assigned`;
  if (name.startsWith('matrix.')) {
    return names.matrix.has(name.slice('matrix.'.length)) ? undefined : unknownName(name);
  }
  if (RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) return `"${name}" cannot be assigned`;
  if (names.automatic.has(name)) return undefined;
  const created = names.rows.get(name);
  if (!created) return name.trim() === '' ? 'is required' : unknownName(name);
  const isAbove = created.step !== place.step || created.row < place.row;
  return isAbove ? undefined : `"${name}" is not created in a row above`;
}

/** The type that a target converts to; automatic variables have none. */
export function targetType(name: string, names: Names): string | undefined {
  return name.startsWith('matrix.') ? names.matrix.get(name.slice('matrix.'.length)) : names.rows.get(name)?.type;
}

export function unknownName(name: string): string {
  const [head, variable] = name.split('.');
  return head === 'matrix' && variable
    ? `{${name}}: no Matrix variable "${variable}" is registered`
    : `{${name}}: no variable of this name exists`;
}
