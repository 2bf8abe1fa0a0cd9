/** The seven types of a Matrix variable, spelled as the API spells them (contract 2.5; NFC). */
export const MATRIX_TYPES = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'] as const;

export type MatrixType = (typeof MATRIX_TYPES)[number];

/** True for exactly one of the seven names: case, accents and Unicode form included. */
export function isMatrixType(word: unknown): word is MatrixType {
  return MATRIX_TYPES.some((type) => type === word);
}

/** A registered Matrix variable. `default` is what `convertDefault` returned at registration, or null for none. */
export interface MatrixVariable {
  id: string;
  name: string;
  type: MatrixType;
  default: unknown;
}

/** A converted value. All of them survive JSON. */
export type MatrixValue = string | number | boolean | null | unknown[] | Record<string, unknown>;

/**
 * Where a value comes from: `body` = an API body or a registration, `node` = a field or whole node of a webhook
 * payload, `assign` = the result of a flow variable with a Tipo, or an assignment (contract 2.10, 2.12).
 */
export type ValueSource = 'body' | 'node' | 'assign';
