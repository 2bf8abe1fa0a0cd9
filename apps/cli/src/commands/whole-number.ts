import { usageError } from '../exit-codes';

export function parseWholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError(`${option}: must be a whole number`);
  return Number(text);
}

export function parseLimit(text: string): number {
  const limit = parseWholeNumber('--limit', text);
  if (limit < 1) throw usageError('--limit: must be at least 1');
  return limit;
}
