import { ApiError } from '@batuta/errors';

/**
 * A whole number from `least` to `most` in a query; undefined when it was not sent. Out of range is refused, not clamped:
 * BAD_REQUEST naming the parameter (interpretation 17).
 */
export function readCount(field: string, value: unknown, most: number, least = 1): number | undefined {
  if (value === undefined) return undefined;
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : -1;
  if (count < least || count > most) {
    throw new ApiError('BAD_REQUEST', `${field}: must be a whole number from ${least} to ${most}`);
  }
  return count;
}
