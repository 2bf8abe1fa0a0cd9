import { isMatrixType } from '@batuta/matrix';
import { formattedValue } from '../processes/shown-value';

/** A value of the Matrix as people read and type it; lists and objects have a line for each item. */
export function valueText(type: string, value: unknown): string {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, null, 2);
  return formattedValue(isMatrixType(type) ? type : undefined, value);
}
