import type { Store } from '@batuta/database';
import { inTime } from '../http/in-time';

const SWEPT_AT_ONCE = 1_000;

/** `rate_allowance`: how much of each subject's minute was handed out to gateway replicas. */
export class AllowanceRepository {
  constructor(
    private readonly store: Store,
    private readonly milliseconds: number,
  ) {}

  /**
   * Hands out up to `wanted` of what is left of `limit` in that window and returns how many it got, in one atomic
   * statement: it always adds `wanted` and the sum tells what was there before, capped so that it cannot grow for ever.
   * LAST_INSERT_ID(value) brings the sum back with the write.
   */
  async lease(subject: string, window: number, limit: number, wanted: number): Promise<{ got: number; left: number }> {
    const { insertId: sum } = await inTime(
      this.store.write(
        `INSERT INTO rate_allowance (subject, window_start, taken) VALUES (?, ?, LAST_INSERT_ID(?))
         ON DUPLICATE KEY UPDATE taken = LAST_INSERT_ID(LEAST(taken, ?) + ?)`,
        [subject, window, wanted, limit, wanted],
      ),
      this.milliseconds,
    );
    const before = sum - wanted;
    const got = Math.max(0, Math.min(wanted, limit - before));
    return { got, left: Math.max(0, limit - sum) };
  }

  async deleteBefore(window: number): Promise<void> {
    for (;;) {
      const { affectedRows } = await this.store.write(
        `DELETE FROM rate_allowance WHERE window_start < ? ORDER BY window_start LIMIT ${SWEPT_AT_ONCE}`,
        [window],
      );
      if (affectedRows < SWEPT_AT_ONCE) return;
    }
  }
}
