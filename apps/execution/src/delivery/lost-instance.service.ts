import { notifications, type InstanceStatus } from '@batuta/contracts';
import { isContention, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { lockInstances } from '../instances/instance.repository';
import { ExecutionMetrics } from '../execution.metrics';
import { cancelQueuesOnException } from '../queue-cancellation/queue-cancellation.repository';
import { requeueOrEndLost } from './requeue';

interface LostInstanceRow {
  instance_id: string;
  status: InstanceStatus;
  fence: number;
  session_id: string | null;
}

/** Maximum instances that one sweep recovers; the next sweep takes the others. */
const SWEEP_BATCH_SIZE = 200;
/**
 * False during an outage in which routers cannot renew leases, and after it until a router has renewed the leases that
 * expired meanwhile. The table has no row while only routers of the previous release have run, which do not observe
 * outages.
 */
const LEASES_ARE_KEPT_SQL =
  'NOT EXISTS (SELECT 1 FROM lease_health WHERE health_id = 1 AND healthy_until < UTC_TIMESTAMP(3))';

/**
 * Recovers instances whose agent is lost: an instance that never ran is requeued, and one that ran ends as crashed, or
 * as stopped when a stop was requested.
 */
@Injectable()
export class LostInstanceService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
    private readonly metrics: ExecutionMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Recovers a batch of instances whose agent's lease ran out, and of offers that were not granted: because their session closed, or because
   * their claim is older than `claimSeconds` (for example, its reply was lost). A running instance is not ended while leases cannot be kept,
   * because its agent may be alive. Replicas may sweep at the same time: each instance is checked again under its lock. Returns the ids of the
   * recovered instances.
   */
  async sweep(claimSeconds: number): Promise<string[]> {
    const rows = await this.store.rows<LostInstanceRow>(
      `SELECT i.instance_id, i.status, i.fence, i.session_id FROM instance i LEFT JOIN agent_session s ON s.session_id = i.session_id
        WHERE i.status = 'running' AND (s.session_id IS NULL OR s.lease_until < UTC_TIMESTAMP(3)) AND ${LEASES_ARE_KEPT_SQL}
        UNION ALL
       SELECT i.instance_id, i.status, i.fence, i.session_id FROM instance i LEFT JOIN agent_session s ON s.session_id = i.session_id
        WHERE i.status = 'unknown'
          AND (s.session_id IS NULL OR s.lease_until < UTC_TIMESTAMP(3) OR s.closed_at IS NOT NULL
               OR i.claimed_at < UTC_TIMESTAMP(3) - INTERVAL ? SECOND)
        LIMIT ?`,
      [claimSeconds, SWEEP_BATCH_SIZE],
    );
    const recovered: string[] = [];
    for (const row of rows) if (await this.tryRecover(row)) recovered.push(row.instance_id);
    return recovered;
  }

  /** Logs an error of one instance, so that it does not keep the others from their recovery. Throws while the database is away. */
  private async tryRecover(row: LostInstanceRow): Promise<boolean> {
    try {
      return await this.recover(row);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAVAILABLE' && !isContention(error)) throw error;
      const { instance_id: instanceID, session_id: sessionID } = row;
      this.logger.warn(
        { err: error, instanceID, sessionID },
        'a lost instance was not recovered; the next sweep tries again',
      );
      return false;
    }
  }

  /** Requeues or ends one instance; returns false when another replica or the agent was faster. */
  private async recover(read: LostInstanceRow): Promise<boolean> {
    const { instance_id: instanceID, session_id: sessionID } = read;
    const lost = await this.store.transaction(async (tx) => {
      const [row] = await lockInstances(tx, [instanceID]);
      // The row is read again under its lock, because since the sweep read it the agent may have resumed under a new
      // session, or its late offer may have been granted.
      if (row?.status !== read.status || row.fence !== read.fence || row.session_id !== sessionID) return undefined;
      const result = await requeueOrEndLost(tx, row);
      if (result === 'crashed') cancelQueuesOnException(tx, [row]);
      return result && { result, row };
    });
    if (!lost) return false;
    const queued = lost.result === 'queued';
    this.metrics.lostInstances.inc({ queued: String(queued) });
    if (!queued) {
      this.changes.notifyEnd(lost.row);
      return true;
    }
    this.changes.notify(instanceID);
    const { environment_id: environmentID } = lost.row;
    this.rpc.notify(notifications.work, { environmentID, ...(sessionID && { from: sessionID }) });
    return true;
  }
}
