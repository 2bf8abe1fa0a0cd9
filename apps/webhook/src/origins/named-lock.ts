import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

/** Shorter than the limit of a statement. */
const TIMEOUT_SECONDS = 2;

/**
 * Runs `work` under a named lock of the database, exclusive over all replicas. The lock is released before the transaction
 * commits, so `work` must read with row locks, which wait for uncommitted rows. It belongs to the connection and ends with
 * it. Throws UNAVAILABLE when the lock is not granted within two seconds.
 */
export async function withNamedLock<T>(tx: Store, name: string, work: () => Promise<T>): Promise<T> {
  const lock = await tx.row<{ taken: number | null }>('SELECT GET_LOCK(?, ?) AS taken', [name, TIMEOUT_SECONDS]);
  if (lock?.taken !== 1) throw new ApiError('UNAVAILABLE', 'Others are changing the same; try again.');
  try {
    return await work();
  } finally {
    await tx.rows('SELECT RELEASE_LOCK(?)', [name]);
  }
}
