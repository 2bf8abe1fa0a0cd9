import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

const PATIENCE_SECONDS = 5;

/**
 * Runs `work` while no other replica runs work of the same name. The lock goes with `work`, before the transaction
 * commits: who counts next must read with locks, so that it waits for rows that are not committed yet. It belongs to the
 * connection, so one that dies leaves no lock behind.
 */
export async function oneAtATime<T>(tx: Store, name: string, work: () => Promise<T>): Promise<T> {
  const lock = await tx.row<{ taken: number | null }>('SELECT GET_LOCK(?, ?) AS taken', [name, PATIENCE_SECONDS]);
  if (lock?.taken !== 1) throw new ApiError('UNAVAILABLE', 'Others are changing the same; try again.');
  try {
    return await work();
  } finally {
    await tx.rows('SELECT RELEASE_LOCK(?)', [name]);
  }
}
