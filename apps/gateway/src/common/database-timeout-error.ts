import { ApiError } from '@batuta/errors';

/** The error of a query that exceeds its time limit: a database that hangs must not hold callers. */
export function databaseTimeoutError(): ApiError {
  return new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.');
}
