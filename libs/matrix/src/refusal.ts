import { ApiError } from '@batuta/errors';
import type { MatrixType, ValueSource } from './types';

const LONGEST_NAME = 80;
const LONGEST_VALUE = 40;

/** The refusal of a value, to be thrown: `total: "1,2,3" is not a number` (contract 2.6, 7). */
export function refusal(field: string, problem: string): ApiError {
  return new ApiError('INVALID_MATRIX', `${printable(field, LONGEST_NAME)}: ${problem}`);
}

/**
 * What a message may show of a value that does not fit: at most a short piece of it. Nothing of a Secreto, nothing of
 * an assigned value, which may have come out of a Secreto, and nothing of what is inside lists and objects.
 */
export function shownValue(type: MatrixType, value: unknown, source: ValueSource): string {
  if (type === 'Secreto' || source === 'assign') return 'the value';
  if (typeof value === 'string') return `"${printable(value, LONGEST_VALUE)}"`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Cut to length, with everything invisible (controls, line ends, text direction, broken pairs) made a blank box. */
function printable(text: string, longest: number): string {
  const start = Array.from(text.slice(0, 2 * longest + 2));
  const piece = start.length > longest ? `${start.slice(0, longest).join('')}…` : start.join('');
  return piece.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{25a1}');
}
