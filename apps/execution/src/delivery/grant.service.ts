import type { DesiredState, HeldInstance } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint, Liveness } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { Batcher } from '../batcher';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { ExecutionMetrics } from '../execution.metrics';
import { statusAfter, statusBefore } from '../instances/status-sql';

interface GrantRequest extends HeldInstance {
  sessionID: string;
  keys: string[];
}

const GRANT_BATCH_SIZE = 50;

const GRANT_SQL = `UPDATE instance SET ${statusAfter('grant')}, started_at = UTC_TIMESTAMP(3)
  WHERE ${statusBefore('grant')} AND instance_id IN (?) AND (instance_id, fence, session_id) IN (?)`;
const FIND_GRANTED_SQL = `SELECT desired FROM instance
  WHERE instance_id = ? AND ${statusAfter('grant')} AND fence = ? AND session_id = ?`;

/** Grants an instance to the session whose agent has accepted its offer. */
@Injectable()
export class GrantService {
  private readonly batcher: Batcher<GrantRequest, boolean>;

  constructor(
    private readonly store: Store,
    private readonly changes: InstanceChangeNotifier,
    metrics: ExecutionMetrics,
    liveness: Liveness,
  ) {
    const write = async (requests: GrantRequest[]) => (await this.writeGrants(requests)).map((result) => ({ result }));
    this.batcher = new Batcher(GRANT_BATCH_SIZE, metrics.withBatchItems('grants', write));
    liveness.watch('grants', () => this.batcher.batchAgeMs);
  }

  /**
   * Commits `running` before the agent learns of the grant. A repeated request of the same session and fence is granted again; `granted` is
   * false when the session no longer has the offer.
   */
  async grant(
    instanceID: string,
    fence: number,
    sessionID: string,
  ): Promise<{ granted: boolean; desired: DesiredState }> {
    const isCommitted = await this.batcher.submit({ instanceID, fence, sessionID, keys: [instanceID] });
    if (isCommitted) faultPoint('execution:after-grant');
    const desired = isCommitted ? 'run' : await this.desiredOfGranted(instanceID, fence, sessionID);
    if (desired === undefined) return { granted: false, desired: 'stop' };
    this.changes.notify(instanceID);
    return { granted: true, desired };
  }

  /** Undefined when the instance is not granted to this session and fence. */
  private async desiredOfGranted(
    instanceID: string,
    fence: number,
    sessionID: string,
  ): Promise<DesiredState | undefined> {
    const row = await this.store.row<{ desired: DesiredState }>(FIND_GRANTED_SQL, [instanceID, fence, sessionID]);
    return row?.desired;
  }

  /**
   * Writes the grants with one statement. Returns true for every request if the statement granted all of them.
   * Otherwise returns false for every request, because the statement does not tell which ones it granted; `grant` then
   * reads the rows.
   */
  private async writeGrants(requests: GrantRequest[]): Promise<boolean[]> {
    const { affectedRows } = await this.store.write(GRANT_SQL, [
      requests.map(({ instanceID }) => instanceID),
      requests.map(({ instanceID, fence, sessionID }) => [instanceID, fence, sessionID]),
    ]);
    return requests.map(() => affectedRows === requests.length);
  }
}
