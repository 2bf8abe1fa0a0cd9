import {
  notifications,
  type AdoptedInstance,
  type DesiredInstance,
  type DesiredState,
  type HeldInstance,
} from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { faultPoint } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { Batcher } from '../batcher';
import type { InstanceRow } from '../instance/bodies';
import { cancelQueueOnException } from '../instance/cancel-queue';
import { Changes } from '../instance/changes';
import { writeEnd } from '../instance/ending';
import { lockInstances } from '../instance/instance.repository';
import { transition } from '../instance/transition';
import { ExecutionMetrics } from '../metrics';

interface GrantOrder extends HeldInstance {
  sessionID: string;
  keys: string[];
}

/** Grants that are written together at the most. */
const BATCH = 50;

interface Adoption {
  granted: AdoptedInstance[];
  revoked: HeldInstance[];
}

/** What routers ask about instances that they hold for their agents: grant, release, adopt, reconcile. */
@Injectable()
export class DeliveryService {
  private readonly grants = new Batcher<GrantOrder, boolean>(BATCH, async (orders) =>
    (await this.writeGrants(orders)).map((result) => ({ result })),
  );

  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: Changes,
    private readonly metrics: ExecutionMetrics,
  ) {}

  /** Commits `running` before the agent hears of it. Asked again for the same session and fence it says yes again. */
  async grant(
    instanceID: string,
    fence: number,
    sessionID: string,
  ): Promise<{ granted: boolean; desired: DesiredState }> {
    if (await this.grants.submit({ instanceID, fence, sessionID, keys: [instanceID] })) {
      faultPoint('execution:after-grant');
      this.changes.tell(instanceID);
      return { granted: true, desired: 'run' };
    }
    const row = await this.store.row<{ desired: DesiredState }>(
      `SELECT desired FROM instance
        WHERE instance_id = ? AND status = 'running' AND fence = ? AND session_id = ?`,
      [instanceID, fence, sessionID],
    );
    return { granted: row !== undefined, desired: row?.desired ?? 'stop' };
  }

  /** Back into the queue, at its old place: offered, but not granted. */
  async release(sessionID: string, instances: HeldInstance[]): Promise<number> {
    const queues: string[] = [];
    for (const { instanceID, fence } of instances) {
      const environmentID = await this.releaseOne(instanceID, fence, sessionID);
      if (environmentID) queues.push(environmentID);
    }
    for (const environmentID of new Set(queues))
      this.rpc.notify(notifications.work, { environmentID, from: sessionID });
    return queues.length;
  }

  /**
   * A session goes on under a new one. What the agent holds and may run is granted, also what it had accepted when the
   * grant was lost on the way. What the old session had been granted and the agent no longer holds has crashed with it.
   */
  async adopt(sessionID: string, previousSessionID: string, held: HeldInstance[]): Promise<Adoption> {
    const environmentID = await this.environmentOfOpen(sessionID);
    const { granted, revoked } = await this.store.transaction((tx) =>
      adoptAll(tx, { sessionID, previousSessionID, environmentID, held }),
    );
    // Also where nothing was: a claim of the session that is over may still stand.
    this.rpc.notify(notifications.work, { environmentID, from: previousSessionID });
    return { granted, revoked };
  }

  async desired(sessionIDs: string[]): Promise<(DesiredInstance & { sessionID: string })[]> {
    if (sessionIDs.length === 0) return [];
    const rows = await this.store.rows<{
      instance_id: string;
      fence: number;
      desired: DesiredState;
      session_id: string;
    }>(
      `SELECT instance_id, fence, desired, session_id FROM instance
        WHERE session_id IN (?) AND status = 'running' AND desired <> 'run'`,
      [sessionIDs],
    );
    return rows.map((row) => ({
      instanceID: row.instance_id,
      fence: row.fence,
      desired: row.desired,
      sessionID: row.session_id,
    }));
  }

  /** The agent's lease ran out, or its claim was forgotten: what never ran is queued again, what ran has crashed. */
  async lose(instanceID: string, fence: number, sessionID: string | null): Promise<void> {
    const lost = await this.store.transaction(async (tx) => {
      const [row] = await lockInstances(tx, [instanceID]);
      // Meanwhile the agent may have come back under a new session.
      if (!row || row.fence !== fence || row.session_id !== sessionID) return undefined;
      const became = await loseOne(tx, row);
      if (became === 'crashed') await cancelQueueOnException(tx, row.environment_id);
      return became && { became, environmentID: row.environment_id };
    });
    if (!lost) return;
    const queued = lost.became === 'queued';
    this.metrics.lost.inc({ queued: String(queued) });
    this.changes.tell(instanceID);
    if (queued)
      this.rpc.notify(notifications.work, { environmentID: lost.environmentID, ...(sessionID && { from: sessionID }) });
  }

  /** Whether they were written now, all of them; otherwise each finds out for itself what became of it. */
  private async writeGrants(orders: GrantOrder[]): Promise<boolean[]> {
    const { affectedRows } = await this.store.write(
      `UPDATE instance SET status = 'running', started_at = UTC_TIMESTAMP(3)
        WHERE status = 'unknown' AND instance_id IN (?) AND (instance_id, fence, session_id) IN (?)`,
      [
        orders.map(({ instanceID }) => instanceID),
        orders.map(({ instanceID, fence, sessionID }) => [instanceID, fence, sessionID]),
      ],
    );
    return orders.map(() => affectedRows === orders.length);
  }

  private async releaseOne(instanceID: string, fence: number, sessionID: string): Promise<string | undefined> {
    return this.store.transaction(async (tx) => {
      const [row] = await lockInstances(tx, [instanceID]);
      const ours = row && row.fence === fence && row.session_id === sessionID;
      if (!ours || 'refused' in transition(row, { type: 'release' })) return undefined;
      await requeue(tx, row);
      return row.environment_id;
    });
  }

  /** A question that was long under way must not take back what the agent resumed in a later session. */
  private async environmentOfOpen(sessionID: string): Promise<string> {
    const row = await this.store.row<{ environment_id: string }>(
      `SELECT environment_id FROM agent_session
        WHERE session_id = ? AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
      [sessionID],
    );
    if (!row) throw new ApiError('CONFLICT', `sessionID: the session ${sessionID} is over`);
    return row.environment_id;
  }
}

async function adoptAll(
  tx: Store,
  asked: { sessionID: string; previousSessionID: string; environmentID: string; held: HeldInstance[] },
): Promise<Adoption> {
  const { sessionID, previousSessionID, environmentID, held } = asked;
  const left = await tx.rows<{ instance_id: string }>(
    `SELECT instance_id FROM instance
      WHERE session_id = ? AND environment_id = ? AND status IN ('unknown', 'running')`,
    [previousSessionID, environmentID],
  );
  const fences = new Map(held.map(({ instanceID, fence }) => [instanceID, fence]));
  const rows = await lockInstances(tx, [...new Set([...fences.keys(), ...left.map((row) => row.instance_id)])]);
  const granted: AdoptedInstance[] = [];
  const became = new Set<Lost | undefined>();
  for (const row of rows) {
    const holds = fences.get(row.instance_id) === row.fence && row.environment_id === environmentID;
    if (holds && (row.status === 'running' || row.status === 'unknown')) {
      await tx.write(
        `UPDATE instance SET session_id = ?, status = 'running', started_at = COALESCE(started_at, UTC_TIMESTAMP(3))
          WHERE instance_id = ?`,
        [sessionID, row.instance_id],
      );
      const { instance_id: instanceID, fence, desired, request_id: requestID } = row;
      granted.push({ instanceID, fence, desired, requestID });
    } else if (row.session_id === previousSessionID && row.environment_id === environmentID) {
      became.add(await loseOne(tx, row));
    }
  }
  if (became.has('crashed')) await cancelQueueOnException(tx, environmentID);
  const kept = new Set(granted.map(({ instanceID }) => instanceID));
  const revoked = held.filter(({ instanceID }) => !kept.has(instanceID));
  return { granted, revoked };
}

type Lost = 'queued' | 'crashed' | 'stopped';

/** What became of it; nothing when it was not out any more. A crash is the caller's to tell the queue, once. */
async function loseOne(tx: Store, row: InstanceRow): Promise<Lost | undefined> {
  const next = transition(row, { type: 'lost' });
  if ('refused' in next) return undefined;
  if (next.outcome === undefined) {
    await requeue(tx, row);
    return 'queued';
  }
  const crashed = next.outcome === 'CRASHED';
  await writeEnd(tx, row, next, {
    outcome: next.outcome,
    errorMessage: crashed ? 'The agent that ran the execution was lost.' : null,
  });
  return crashed ? 'crashed' : 'stopped';
}

async function requeue(tx: Store, row: InstanceRow): Promise<void> {
  await tx.write("UPDATE instance SET status = 'queued', session_id = NULL, claimed_at = NULL WHERE instance_id = ?", [
    row.instance_id,
  ]);
}
