import { fits, misfit, type ConversionFit } from './fit';

const BOOLEAN_WORDS = new Map<unknown, boolean>([
  ['true', true],
  ['sim', true],
  ['1', true],
  ['false', false],
  ['não', false],
  ['nao', false],
  ['0', false],
  ['', false],
]);

/**
 * Maximum length of a text that is normalized: longer than any of the words, even with separate accents. Normalizing a megabyte of accents
 * would take a minute.
 */
const MAX_WORD_LENGTH = 10;

/** Verdadeiro/Falso: a boolean, the JSON numbers 1 and 0, or one of the words in any case (contract 2.6, interpretation 33). */
export function readBoolean(value: unknown): ConversionFit<boolean> {
  if (typeof value === 'boolean') return fits(value);
  if (value === 1 || value === 0) return fits(value === 1);
  const known = typeof value === 'string' ? wordValue(value.trim()) : undefined;
  return known === undefined ? misfit('is neither true nor false') : fits(known);
}

function wordValue(word: string): boolean | undefined {
  return word.length > MAX_WORD_LENGTH ? undefined : BOOLEAN_WORDS.get(word.normalize('NFC').toLowerCase());
}
