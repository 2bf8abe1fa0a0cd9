import { usageError } from '../exit-codes';

export function parseWholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError(`${option}: must be a whole number`);
  return Number(text);
}

export function parseLimit(text: string): number {
  if (!/^0*[1-9]\d{0,8}$/.test(text)) throw usageError('--limit: must be a whole number of at least 1');
  return Number(text);
}
