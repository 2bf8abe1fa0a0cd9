import { Store } from '@batuta/database';
import { repeat, type Logger, type Repetition } from '@batuta/observability';
import type { ExecutionSettings } from '../config';
import { DeliveryService } from './delivery.service';

const AT_ONCE = 200;

/**
 * Instances whose agent's lease ran out, and offers that were forgotten: by a session that closed, perhaps while its
 * claim still waited, or by a claim whose reply never arrived. Any replica may do it, several at once: each instance is
 * judged again under its lock.
 */
export async function sweepLost(store: Store, work: DeliveryService, claimSeconds: number): Promise<number> {
  const rows = await store.rows<{ instance_id: string; fence: number; session_id: string | null }>(
    `SELECT i.instance_id, i.fence, i.session_id FROM instance i LEFT JOIN agent_session s ON s.session_id = i.session_id
      WHERE i.status = 'running' AND (s.session_id IS NULL OR s.lease_until < UTC_TIMESTAMP(3))
      UNION ALL
     SELECT i.instance_id, i.fence, i.session_id FROM instance i LEFT JOIN agent_session s ON s.session_id = i.session_id
      WHERE i.status = 'unknown'
        AND (s.session_id IS NULL OR s.lease_until < UTC_TIMESTAMP(3) OR s.closed_at IS NOT NULL
             OR i.claimed_at < UTC_TIMESTAMP(3) - INTERVAL ? SECOND)
      LIMIT ?`,
    [claimSeconds, AT_ONCE],
  );
  for (const row of rows) await work.lose(row.instance_id, row.fence, row.session_id);
  return rows.length;
}

export function startSweeps(
  store: Store,
  work: DeliveryService,
  config: ExecutionSettings,
  logger: Logger,
): Repetition {
  return repeat(
    'lost instances',
    config.SWEEP_MS,
    async () => {
      const lost = await sweepLost(store, work, config.CLAIM_SECONDS);
      if (lost > 0) logger.warn({ lost }, 'instances of lost agents were dealt with');
    },
    logger,
  );
}
