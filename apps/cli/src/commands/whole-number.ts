import { usageError } from '../exit-codes';

/** Reads an option from 0 to 999,999,999. Throws CommandFailure, which names the option, for any other text. */
export function parseWholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError(`${option}: must be a whole number`);
  return Number(text);
}

/** Reads the option `--limit`, at least 1. Throws CommandFailure for any other text. */
export function parseLimit(text: string): number {
  if (!/^0*[1-9]\d{0,8}$/.test(text)) throw usageError('--limit: must be a whole number of at least 1');
  return Number(text);
}
