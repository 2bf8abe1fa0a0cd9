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
   * Hands out up to `wanted` of what is left of `limit` in that window, in one atomic statement. LAST_INSERT_ID(value)
   * brings back with the write what was taken before it; a limit that was lowered takes nothing back.
   */
  async lease(subject: string, window: number, limit: number, wanted: number): Promise<{ got: number; left: number }> {
    const { insertId: before } = await inTime(
      this.store.write(
        `INSERT INTO rate_allowance (subject, window_start, taken) VALUES (?, ?, LEAST(?, ?) + LAST_INSERT_ID(0))
           ON DUPLICATE KEY UPDATE taken = GREATEST(taken, LEAST(?, LAST_INSERT_ID(taken) + ?))`,
        [subject, window, limit, wanted, limit, wanted],
      ),
      this.milliseconds,
    );
    const left = Math.max(0, limit - before);
    const got = Math.min(left, wanted);
    return { got, left: left - got };
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
