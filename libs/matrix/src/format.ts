import { Big } from 'big.js';
import { roundToCents } from './number';
import { numberText } from './text';
import type { MatrixType } from './types';

/**
 * The text of a value where a person reads it: field filling, messages, e-mail, text mode. Moeda is `1.234,56`, empty
 * is '', lists and objects are JSON (contract 2.6, interpretation 44). `type` is undefined for an untyped variable.
 */
export function formatForPerson(type: MatrixType | undefined, value: unknown): string {
  return isAmount(type, value) ? brazilian(dotDecimal(value)) : plainText(value);
}

/** The text of a value in REST URLs, headers and text bodies: the same, but Moeda is `1234.56`. */
export function formatForMachine(type: MatrixType | undefined, value: unknown): string {
  return isAmount(type, value) ? dotDecimal(value) : plainText(value);
}

function isAmount(type: MatrixType | undefined, value: unknown): value is number {
  return type === 'Moeda' && typeof value === 'number' && Number.isFinite(value);
}

function dotDecimal(amount: number): string {
  return new Big(roundToCents(amount)).toFixed(2);
}

/** `-1234.56` → `-1.234,56`. */
function brazilian(decimal: string): string {
  const [whole = '', cents = ''] = decimal.split('.');
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '.')},${cents}`;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  return value === null || value === undefined ? '' : (JSON.stringify(value) ?? '');
}
