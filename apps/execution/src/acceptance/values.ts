import type { StartRequest } from '@batuta/contracts';
import { convertMatrix, type MatrixType, type MatrixValue, type MatrixVariable } from '@batuta/matrix';

/** A Matrix variable with the value with which an instance starts. */
export interface StartValue {
  name: string;
  type: MatrixType;
  value: MatrixValue;
}

/**
 * Converts the values of a start: those that the caller sent by name, or those that the mapping of a webhook took from a
 * payload (contract 2.6, 2.10). `skipped` = mapped variables that have been deleted. Throws INVALID_MATRIX naming the variable.
 */
export function convertValues(
  variables: MatrixVariable[],
  request: Pick<StartRequest, 'matrix' | 'mapped' | 'trigger'>,
): { matrix: StartValue[]; skipped: string[] } {
  const { sent, skipped } = request.mapped ? byName(variables, request) : { sent: request.matrix, skipped: [] };
  const { values } = convertMatrix(variables, sent, request.mapped ? 'node' : 'body');
  return { matrix: variables.map(({ name, type }) => ({ name, type, value: values[name] ?? null })), skipped };
}

/** A debug run carries no Secreto (contract 4.17). */
function byName(
  variables: MatrixVariable[],
  { mapped, trigger }: Pick<StartRequest, 'mapped' | 'trigger'>,
): { sent: Record<string, unknown>; skipped: string[] } {
  const byID = new Map(variables.map((variable) => [variable.id, variable]));
  const sent: [string, unknown][] = [];
  const skipped: string[] = [];
  for (const { variableID, value, unheld } of mapped?.values ?? []) {
    const variable = byID.get(variableID);
    if (!variable) skipped.push(variableID);
    else if (trigger.kind !== 'debug' || variable.type !== 'Secreto')
      sent.push([variable.name, unheld ? Infinity : value]);
  }
  return { sent: Object.fromEntries(sent), skipped };
}
