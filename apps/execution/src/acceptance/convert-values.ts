import type { StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { convertMatrix, type MatrixType, type MatrixValue, type MatrixVariable } from '@batuta/matrix';

/** A Matrix variable with the value with which an instance starts. */
export interface StartValue {
  name: string;
  type: MatrixType;
  value: MatrixValue;
}

/**
 * Converts the values of a start: those that the caller sent by name, or those that the mapping of a webhook took from a
 * payload (contract 2.6, 2.10). `matrix` has every variable: one for which no value, or null, came has its default, or the empty value of its
 * type (`valueWithoutDefault`) if it has none or `withoutDefault` names it. `skipped` = ids of mapped variables that have been deleted.
 * Throws INVALID_MATRIX naming the variable.
 */
export function convertValues(
  variables: MatrixVariable[],
  request: Pick<StartRequest, 'matrix' | 'mapped' | 'trigger' | 'withoutDefault'>,
): { matrix: StartValue[]; skipped: string[] } {
  const { sent, skipped } = request.mapped
    ? mappedValuesByName(variables, request)
    : { sent: request.matrix, skipped: [] };
  const applied = request.withoutDefault ? withoutDefaults(variables, request.withoutDefault) : variables;
  const { values } = convertMatrix(applied, sent, request.mapped ? 'node' : 'body');
  return { matrix: variables.map(({ name, type }) => ({ name, type, value: values[name] ?? null })), skipped };
}

/** The variables, without the defaults of those that are named. */
function withoutDefaults(variables: MatrixVariable[], names: string[]): MatrixVariable[] {
  const named = new Set(names);
  return variables.map((variable) => (named.has(variable.name) ? { ...variable, default: null } : variable));
}

/** Maximum length of the list of refused values, because a caller may send any number of unknown names. */
const MAX_REFUSED_VALUES = 200;

/**
 * Each sent value or default that does not convert, and each unknown name, with the message of its refusal; at most MAX_REFUSED_VALUES, the
 * unknown names last. `convertValues` throws only one of them: an unknown name, if there is one.
 */
export function refusedValues(
  variables: MatrixVariable[],
  sent: Record<string, unknown> = {},
): { name: string; message: string }[] {
  const known = new Map(variables.map((variable) => [variable.name, variable]));
  const names = new Set([...known.keys(), ...Object.keys(sent)]);
  const refused: { name: string; message: string }[] = [];
  for (const name of names) {
    if (refused.length === MAX_REFUSED_VALUES) break;
    const variable = known.get(name);
    const value = Object.hasOwn(sent, name) ? { [name]: sent[name] } : {};
    const message = refusalOf(() => convertMatrix(variable ? [variable] : [], value));
    if (message !== undefined) refused.push({ name, message });
  }
  return refused;
}

function refusalOf(convert: () => unknown): string | undefined {
  try {
    convert();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

/**
 * The mapped values by variable name; `skipped` lists the ids of variables that were deleted. A debug run takes no
 * Secreto from a payload (contract 4.17).
 */
function mappedValuesByName(
  variables: MatrixVariable[],
  { mapped, trigger }: Pick<StartRequest, 'mapped' | 'trigger'>,
): { sent: Record<string, unknown>; skipped: string[] } {
  const byID = new Map(variables.map((variable) => [variable.id, variable]));
  const sent: [string, unknown][] = [];
  const skipped: string[] = [];
  for (const { variableID, value, unheld } of mapped?.values ?? []) {
    const variable = byID.get(variableID);
    if (!variable) skipped.push(variableID);
    // Infinity is refused like every number that no double holds.
    else if (trigger.kind !== 'debug' || variable.type !== 'Secreto')
      sent.push([variable.name, unheld ? Infinity : value]);
  }
  return { sent: Object.fromEntries(sent), skipped };
}
