import type { RawJson } from '@batuta/json';

/** The seven types of a Matrix variable, spelled as the API spells them (contract 2.5; NFC). */
export const MATRIX_TYPES = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'] as const;

export type MatrixType = (typeof MATRIX_TYPES)[number];

/** True for one of the seven names, with the exact case, accents and Unicode form. */
export function isMatrixType(word: unknown): word is MatrixType {
  return MATRIX_TYPES.some((type) => type === word);
}

/**
 * A registered Matrix variable. `default` is the result of `convertDefault` at registration: without a default the value of
 * `valueWithoutDefault`, which null stands for as well.
 */
export interface MatrixVariable {
  /** A rename keeps it. */
  id: string;
  name: string;
  type: MatrixType;
  default: unknown;
}

/** The maximum number of variables of a process. */
export const MAX_VARIABLES = 200;

/** A converted value, which JSON preserves. A RawJson is a large list or object as text. */
export type MatrixValue = string | number | boolean | null | unknown[] | Record<string, unknown> | RawJson;

/**
 * Where a value comes from: `body` = an API body or the default of a variable, `node` = a value of any kind in a webhook payload,
 * `assign` = the result of an assignment or of a flow variable with a Tipo (contract 2.10, 2.12).
 */
export type ValueSource = 'body' | 'node' | 'assign';
