import type { KnownNames, RowPosition } from './known-names';
import { FLOW_LIMITS } from '../definition/schema-parts';
import { isSystemVariable } from '../variables/system-variables';
import { bracesAt } from '../substitution/template';

const RESERVED_PREFIXES = ['matrix.', 'connector.', 'vault.'];

/**
 * The rule that the name of a new flow variable, of an `as` or of a mapped field breaks, as the predicate of a sentence about the name
 * (contract 2.12); undefined for a valid name.
 */
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

/**
 * The rule that the target `name` of an assignment in the row at `position` breaks (contract 2.12, interpretation 45); undefined for a valid
 * target.
 */
export function targetProblem(name: string, position: RowPosition, names: KnownNames): string | undefined {
  if (isSystemVariable(name)) return `"${name}" is a system variable and cannot be assigned`;
  if (name.startsWith('matrix.')) {
    return names.matrix.has(name.slice('matrix.'.length)) ? undefined : unknownNameMessage(name);
  }
  if (RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) return `"${name}" cannot be assigned`;
  if (names.automatic.has(name)) return undefined;
  const created = names.flowVariables.get(name);
  if (!created) return name.trim() === '' ? 'is required' : unknownNameMessage(name);
  const isAbove = created.step !== position.step || created.row < position.row;
  return isAbove ? undefined : `"${name}" is not created in a row above`;
}

/** The type that an assigned value is converted to; automatic variables have no type. */
export function targetType(name: string, names: KnownNames): string | undefined {
  return name.startsWith('matrix.')
    ? names.matrix.get(name.slice('matrix.'.length))
    : names.flowVariables.get(name)?.type;
}

export function unknownNameMessage(name: string): string {
  const [head, variable] = name.split('.');
  return head === 'matrix' && variable
    ? `{${name}}: no Matrix variable "${variable}" is registered`
    : `{${name}}: no variable of this name exists`;
}
