import { withTimeout } from '@batuta/async';
import { deleteInBites, type Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

/** The largest value of the column `taken`. */
export const MAX_LEASED_REQUESTS = 2_147_483_647;

/**
 * `rate_allowance`: how many requests of each subject and window all replicas have leased. A window is a minute, numbered by the minutes since 1970.
 */
export class AllowanceRepository {
  constructor(
    private readonly store: Store,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Leases up to `wanted` of the requests that `limit` leaves in that window, in one atomic statement. LAST_INSERT_ID(value)
   * returns the number that was leased before the write. A lowered limit takes no leased request back. `got` is the number that this call has
   * leased, and `leased` that of all replicas. Throws UNAVAILABLE when the database does not answer in time.
   */
  async lease(
    subject: string,
    window: number,
    limit: number,
    wanted: number,
  ): Promise<{ got: number; leased: number }> {
    const most = Math.min(limit, MAX_LEASED_REQUESTS);
    const { insertId: before } = await withTimeout(
      this.store.write(
        `INSERT INTO rate_allowance (subject, window_start, taken) VALUES (?, ?, LEAST(?, ?) + LAST_INSERT_ID(0))
           ON DUPLICATE KEY UPDATE taken = GREATEST(taken, LEAST(?, LAST_INSERT_ID(taken) + ?))`,
        [subject, window, most, wanted, most, wanted],
      ),
      this.timeoutMs,
      () => new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.'),
    );
    const got = Math.min(Math.max(0, most - before), wanted);
    return { got, leased: before + got };
  }

  async deleteWindowsBefore(window: number): Promise<void> {
    const remove = 'DELETE FROM rate_allowance WHERE window_start < ? ORDER BY window_start LIMIT ?';
    await deleteInBites(this.store, remove, [window]);
  }
}
