import { ApiError } from '@batuta/errors';

/** `true` or `false` in a query, false when it was not sent. Throws BAD_REQUEST naming the parameter. */
export function readFlag(field: string, value: unknown): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new ApiError('BAD_REQUEST', `${field}: must be true or false`);
}
