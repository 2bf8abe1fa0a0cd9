import { withTimeout } from '@batuta/async';
import { Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { databaseTimeout } from '../common/database-timeout';
import { GATEWAY_CONFIG } from '../common/gateway-config.token';
import type { GatewayConfig } from '../config';

const SWEEP_BATCH_SIZE = 1_000;

/** `rate_allowance`: how many requests of each subject and window the gateway replicas have leased. */
@Injectable()
export class AllowanceRepository {
  constructor(
    private readonly store: Store,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'READ_TIMEOUT_MS'>,
  ) {}

  /**
   * Leases up to `wanted` of the requests that `limit` leaves in that window, in one atomic statement. LAST_INSERT_ID(value)
   * returns the number that was leased before the write. A lowered limit takes no leased request back.
   */
  async lease(subject: string, window: number, limit: number, wanted: number): Promise<{ got: number; left: number }> {
    const { insertId: before } = await withTimeout(
      this.store.write(
        `INSERT INTO rate_allowance (subject, window_start, taken) VALUES (?, ?, LEAST(?, ?) + LAST_INSERT_ID(0))
           ON DUPLICATE KEY UPDATE taken = GREATEST(taken, LEAST(?, LAST_INSERT_ID(taken) + ?))`,
        [subject, window, limit, wanted, limit, wanted],
      ),
      this.config.READ_TIMEOUT_MS,
      databaseTimeout,
    );
    const left = Math.max(0, limit - before);
    const got = Math.min(left, wanted);
    return { got, left: left - got };
  }

  async deleteBefore(window: number): Promise<void> {
    for (;;) {
      const { affectedRows } = await this.store.write(
        `DELETE FROM rate_allowance WHERE window_start < ? ORDER BY window_start LIMIT ${SWEEP_BATCH_SIZE}`,
        [window],
      );
      if (affectedRows < SWEEP_BATCH_SIZE) return;
    }
  }
}
