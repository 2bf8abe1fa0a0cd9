import type { Store } from '@batuta/database';
import { statusBefore } from '../instances/status-sql';

/** Totals over all environments with a connected agent, or over all without one. */
export interface QueueTotals {
  online: boolean;
  /** Queued instances, also those that a cancellation of the queue is about to end. */
  queued: number;
  /** Time since the oldest queued instance was accepted. */
  oldestSeconds: number;
}

/**
 * Returns at most two rows, over the environments that have queued instances. Reads each environment and, from the
 * index alone, each queued instance, without locks. STRAIGHT_JOIN prevents a scan of the whole index of instances.
 */
export async function queueTotals(store: Store): Promise<QueueTotals[]> {
  const rows = await store.rows<{ online: number; queued: number; oldest: number }>(
    `SELECT q.online, CAST(SUM(q.queued) AS DOUBLE) AS queued, CAST(MAX(q.age) AS DOUBLE) AS oldest FROM (
       SELECT COUNT(*) AS queued,
              TIMESTAMPDIFF(MICROSECOND, MIN(i.accepted_at), UTC_TIMESTAMP(3)) / 1000000 AS age,
              EXISTS (SELECT 1 FROM agent_session s WHERE s.environment_id = e.environment_id
                         AND s.closed_at IS NULL AND s.lease_until > UTC_TIMESTAMP(3)) AS online
         FROM environment e STRAIGHT_JOIN instance i FORCE INDEX (instance_queue)
           ON i.environment_id = e.environment_id AND i.${statusBefore('claim')}
        GROUP BY e.environment_id
     ) q GROUP BY q.online`,
  );
  return rows.map(({ online, queued, oldest }) => ({
    online: online === 1,
    queued,
    oldestSeconds: Math.max(0, oldest),
  }));
}

/** Bytes of the pictures of all companies, and of the company with the most; an incomplete picture counts with its whole size. */
export async function evidenceTotals(store: Store): Promise<{ bytes: number; most: number }> {
  const row = await store.row<{ bytes: number; most: number }>(
    'SELECT CAST(COALESCE(SUM(bytes), 0) AS DOUBLE) AS bytes, CAST(COALESCE(MAX(bytes), 0) AS DOUBLE) AS most FROM evidence_usage',
  );
  return row ?? { bytes: 0, most: 0 };
}
