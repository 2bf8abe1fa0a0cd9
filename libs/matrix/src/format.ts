import { Big } from 'big.js';
import { roundToCents } from './number';
import { numberText } from './text';
import type { MatrixType } from './types';

/**
 * A value as text for a person: in form fields, messages, e-mails and the mode "Variável ou texto". Moeda is `1.234,56`, null is
 * empty text, lists and objects are JSON (contract 2.6, interpretation 44). `type` is undefined for a variable without a type.
 */
export function formatForPerson(type: MatrixType | undefined, value: unknown): string {
  return isAmount(type, value) ? toBrazilianMarks(dotDecimal(value)) : plainText(value);
}

/** A value as text for a machine: in REST URLs, headers and text bodies. Like `formatForPerson`, except that Moeda is `1234.56`. */
export function formatForMachine(type: MatrixType | undefined, value: unknown): string {
  return isAmount(type, value) ? dotDecimal(value) : plainText(value);
}

function isAmount(type: MatrixType | undefined, value: unknown): value is number {
  return type === 'Moeda' && typeof value === 'number' && Number.isFinite(value);
}

function dotDecimal(amount: number): string {
  return new Big(roundToCents(amount)).toFixed(2);
}

/** Converts `-1234.56` to `-1.234,56`. */
function toBrazilianMarks(decimal: string): string {
  const [whole = '', cents = ''] = decimal.split('.');
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '.')},${cents}`;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  return value === null || value === undefined ? '' : (JSON.stringify(value) ?? '');
}
