import { ApiError } from '@batuta/errors';
import { MAX_DEPTH, type JsonObstacle } from '@batuta/json';
import type { MatrixType, ValueSource } from './types';

const MAX_NAME_LENGTH = 80;
const MAX_VALUE_LENGTH = 40;

/** By obstacle: the predicate of a sentence about a value that cannot be passed on as JSON. */
export const MESSAGE_OF_OBSTACLE: Record<JsonObstacle, string> = {
  depth: `is nested more than ${MAX_DEPTH} levels deep`,
  number: 'has a number beyond the range of a double, about 1e-323 to 1.8e308; only text can hold it',
  name: 'has a name with a backslash that could be read as an escape; use another name',
};

/** The error that refuses a value, such as `total: "1,2,3" is not a number` (contract 2.6, 7). */
export function matrixRefusal(field: string, problem: string): ApiError {
  return new ApiError('INVALID_MATRIX', `${shownName(field)}: ${problem}`);
}

/** The name of a variable as a message shows it: at most 80 characters, invisible ones replaced. A caller may send any name. */
export function shownName(field: string): string {
  return printableText(field, MAX_NAME_LENGTH);
}

/**
 * How a message shows a refused value: at most 40 characters of it. It shows nothing of a Secreto, of an assigned value, which
 * may contain a Secreto, or of the contents of lists and objects.
 */
export function refusedValueText(type: MatrixType, value: unknown, source: ValueSource): string {
  if (type === 'Secreto' || source === 'assign') return 'the value';
  if (typeof value === 'string') return `"${printableText(value, MAX_VALUE_LENGTH)}"`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Cuts text to `maxLength` characters and replaces invisible ones (controls, line ends, text direction, lone surrogates). */
function printableText(text: string, maxLength: number): string {
  const start = Array.from(text.slice(0, 2 * maxLength + 2));
  const piece = start.length > maxLength ? `${start.slice(0, maxLength).join('')}…` : start.join('');
  return piece.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{25a1}');
}
