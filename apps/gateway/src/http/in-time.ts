import { ApiError } from '@batuta/errors';

/** Rejects with UNAVAILABLE when `work` takes longer than `milliseconds`: a database that hangs must not hold callers. */
export function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.'));
    }, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
