import { Big } from 'big.js';
import { exactNumber } from './decimal';
import { fits, misfit, type ConversionFit } from './fit';
import { isStructure, readJsonText } from './structure';
import type { ValueSource } from './types';

/** Texto takes every value; lists and objects as compact JSON (contract 2.6, interpretation 35). */
export function readText(value: unknown): ConversionFit<string> {
  if (typeof value === 'string') return fits(value);
  if (typeof value === 'number') return fits(numberText(value));
  if (typeof value === 'boolean' || typeof value === 'bigint') return fits(String(value));
  return isStructure(value) ? readJsonText(value) : misfit('cannot be written as text');
}

/**
 * Secreto: text. An API body may send a string or an exact number; a mapped or assigned value converts like Texto
 * (interpretation 36).
 */
export function readSecret(value: unknown, source: ValueSource): ConversionFit<string> {
  if (source !== 'body') return readText(value);
  if (typeof value === 'string') return fits(value);
  if (typeof value !== 'number') return misfit('must be a string or a number');
  const exact = exactNumber(value);
  return exact.fits ? fits(numberText(exact.value)) : exact;
}

/** A number as decimal digits with a dot and without an exponent, so that Número can read the text again. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? new Big(value).toFixed() : String(value);
}
