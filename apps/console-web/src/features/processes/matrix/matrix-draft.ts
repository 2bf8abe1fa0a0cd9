import { convertDefault, MAX_VARIABLES, variableNameProblem, type MatrixType, type MatrixValue } from '@batuta/matrix';
import type { VariableAnswer, VariableInput } from '../../../api/generated/console-api';
import { CallError } from '../../../api/error';
import { formattedValue } from '../shown-value';

/** A Matrix variable in the editor, one row of it. */
export interface DraftVariable {
  /** Identifies the row while the page is open. */
  key: string;
  name: string;
  type: MatrixType;
  /** The default as people write it; `true` or `false` for Verdadeiro/Falso, and empty for a Secreto or no default. */
  text: string;
  /** The variable as the API has it; absent in a new row. */
  saved?: VariableAnswer;
}

export type VariableNameProblem = 'malformed' | 'taken';
export { MAX_VARIABLES };

/** The rows of the editor for the saved variables. */
export function matrixDraftOf(variables: readonly VariableAnswer[]): DraftVariable[] {
  return variables.map((saved) => ({
    key: saved.id,
    name: saved.name,
    type: saved.type,
    text: textOf(saved),
    saved,
  }));
}

export const newVariable = (key: string): DraftVariable => ({ key, name: '', type: 'Texto', text: '' });

/**
 * The variables of the request that replaces the Matrix, whose current ones are `current`. An untouched default is sent as it was read, so
 * that none of its digits changes.
 */
export function inputOf(rows: readonly DraftVariable[], current: readonly VariableAnswer[]): VariableInput[] {
  const known = new Set(current.map(({ id }) => id));
  return rows.map(({ name, type, text, saved }) => {
    const isUntouched = saved !== undefined && saved.type === type && textOf(saved) === text;
    return {
      // A variable that another user has removed meanwhile is sent without its id, so that it is created again.
      ...(saved && known.has(saved.id) ? { id: saved.id } : {}),
      name,
      type,
      default: type === 'Secreto' ? null : isUntouched ? saved.default : text,
    };
  });
}

/** Whether the rows differ from the saved variables, order included. */
export function isChanged(rows: readonly DraftVariable[], saved: readonly VariableAnswer[]): boolean {
  return !isSameMatrix(matrixDraftOf(saved).map(withoutKey), rows.map(withoutKey));
}

/** Whether two lists of variables, or of rows, are equal, order included. */
export function isSameMatrix(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The value that starts get for this default; undefined where the text does not fit the type. An empty text has a value too, such as null. */
export function readDefault(type: MatrixType, text: string): { value: MatrixValue } | undefined {
  try {
    return { value: convertDefault(type, type === 'Secreto' ? '' : text, 'default') };
  } catch {
    return undefined;
  }
}

/** The problem of each wrong name, by the key of its row. Of rows with the same name, all but the first are `taken`. */
export function nameProblems(rows: readonly DraftVariable[]): ReadonlyMap<string, VariableNameProblem> {
  const names = new Set<string>();
  const problems = new Map<string, VariableNameProblem>();
  for (const { key, name } of rows) {
    if (variableNameProblem(name) !== undefined) problems.set(key, 'malformed');
    else if (names.has(name)) problems.set(key, 'taken');
    names.add(name);
  }
  return problems;
}

/** The rows with the row of this key one place further up (-1) or down (1), unless it is at that end. */
export function moveRow(rows: readonly DraftVariable[], key: string, by: -1 | 1): DraftVariable[] {
  const from = rows.findIndex((row) => row.key === key);
  const row = rows[from];
  const to = from + by;
  if (!row || to < 0 || to >= rows.length) return [...rows];
  return rows.toSpliced(from, 1).toSpliced(to, 0, row);
}

/**
 * The row that a refusal of the API names, such as `matrix.2.name: is the name of a system variable` or `total: "x" is not a number`, and its
 * text after the name; undefined if it names no row.
 */
export function refusedRow(rows: readonly DraftVariable[], error: unknown): { key: string; text: string } | undefined {
  const named = error instanceof CallError ? error.field : undefined;
  if (!named) return undefined;
  const [, position] = /^matrix\.(\d+)\b/.exec(named.path) ?? [];
  const row = position === undefined ? rows.find(({ name }) => name === named.path) : rows[Number(position)];
  return row && { key: row.key, text: named.text };
}

/** The labels of all fields, such as `total › Default`, by their names in the API, such as `matrix.2.default`; `labels` = those within a row. */
export function labelsOf(
  rows: readonly DraftVariable[],
  labels: Record<'name' | 'type' | 'default', string>,
): Record<string, string> {
  const fields = rows.flatMap(({ name }, index) =>
    Object.entries(labels).map(([field, label]) => [`matrix.${index}.${field}`, `${name || index + 1} › ${label}`]),
  );
  return Object.fromEntries(fields);
}

function textOf({ type, default: value }: VariableAnswer): string {
  if (type === 'Verdadeiro/Falso') return value === true ? 'true' : 'false';
  return type === 'Secreto' ? '' : formattedValue(type, value);
}

function withoutKey({ name, type, text, saved }: DraftVariable) {
  return [name, type, text, saved?.id];
}
