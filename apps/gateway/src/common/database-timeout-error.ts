import { ApiError } from '@batuta/errors';

/** Makes the error for a query that exceeds its time limit, because a database that hangs must not hold callers. */
export function databaseTimeoutError(): ApiError {
  return new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.');
}
