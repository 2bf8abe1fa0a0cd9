import { isMatrixType } from '@batuta/matrix';
import { formattedValue } from '../processes/shown-value';

/**
 * A value of the Matrix as people read and type it, in Brazilian notation whatever the language; lists and objects are JSON with a line for
 * each item.
 */
export function valueText(type: string, value: unknown): string {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, null, 2);
  return formattedValue(isMatrixType(type) ? type : undefined, value);
}
