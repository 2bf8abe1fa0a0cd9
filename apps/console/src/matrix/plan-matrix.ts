import { ApiError } from '@batuta/errors';
import { isSystemVariable } from '@batuta/flow';
import { convertDefault, variableNameProblem } from '@batuta/matrix';
import type { RegisteredVariable } from '../registry';
import type { VariableInput } from './matrix.dto';

/** Maximum UTF-16 units of one default as JSON. */
const MAX_DEFAULT_LENGTH = 100_000;

/**
 * The rows of a whole Matrix, in the given order. Pure: `makeID` creates the ids of new variables. Throws BAD_REQUEST for a
 * name or id, INVALID_MATRIX for a default that does not fit its type, is too long, or is of a Secreto (contract 2.5, 2.11).
 */
export function planMatrix(
  processID: string,
  variables: VariableInput[],
  knownIDs: ReadonlySet<string>,
  makeID: () => string,
): RegisteredVariable[] {
  const names = new Set<string>();
  const ids = new Set<string>();
  return variables.map((variable, position) => {
    const { id, name, type } = variable;
    const at = `matrix.${position}`;
    const problem = nameProblem(name, names);
    if (problem !== undefined) throw new ApiError('BAD_REQUEST', `${at}.name: ${problem}`);
    if (id !== undefined && !knownIDs.has(id))
      throw new ApiError('BAD_REQUEST', `${at}.id: is no variable of this process`);
    if (id !== undefined && ids.has(id)) throw new ApiError('BAD_REQUEST', `${at}.id: comes twice`);
    names.add(name);
    if (id !== undefined) ids.add(id);
    return { id: id ?? makeID(), processID, position, name, type, defaultValue: defaultText(variable) };
  });
}

function nameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  const malformed = variableNameProblem(name);
  if (malformed !== undefined) return malformed;
  if (isSystemVariable(name)) return 'is the name of a system variable';
  return taken.has(name) ? 'is the name of another variable' : undefined;
}

function defaultText({ name, type, default: given }: VariableInput): string {
  const text = JSON.stringify(convertDefault(type, given ?? null, name));
  if (text.length > MAX_DEFAULT_LENGTH) {
    throw new ApiError('INVALID_MATRIX', `${name}: the default is longer than ${MAX_DEFAULT_LENGTH} characters`);
  }
  return text;
}
