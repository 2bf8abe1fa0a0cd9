import { notifications, type AdoptedInstance, type HeldInstance } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import type { InstanceRow } from '../instances/instance-row';
import { lockInstances } from '../instances/instance.repository';
import { statusAfter, statusBefore } from '../instances/status-sql';
import { transition } from '../instances/transition';
import { cancelQueuesOnException } from '../queue-cancellation/queue-cancellation.repository';
import { requeueOrEndLost } from './requeue';

interface AdoptionRequest {
  sessionID: string;
  previousSessionID: string;
  held: HeldInstance[];
}

interface AdoptionResult {
  environmentID: string;
  /** Ids of the instances whose status the adoption changes without an end. */
  changed: string[];
  /** The instances that the adoption ends. */
  ended: InstanceRow[];
  granted: AdoptedInstance[];
  /** The held instances that were not granted; the agent must stop them. */
  revoked: HeldInstance[];
}

const FIND_OF_SESSION_SQL = `SELECT instance_id FROM instance WHERE session_id = ? AND ${statusBefore('adopt')}`;
const ADOPT_SQL = `UPDATE instance SET session_id = ?, ${statusAfter('adopt')}, started_at = COALESCE(started_at, UTC_TIMESTAMP(3))
  WHERE instance_id IN (?)`;

/** Adoption: a resumed agent continues its instances under a new session. */
@Injectable()
export class AdoptionService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
  ) {}

  /**
   * Grants the new session the instances that the agent still holds, also those whose grant was not requested or not
   * answered. An instance of the previous session that the agent no longer holds is requeued if it was only offered,
   * and ends as crashed, or as stopped if a stop was requested, if it ran. Throws CONFLICT when the new session is over.
   */
  async adopt(
    sessionID: string,
    previousSessionID: string,
    held: HeldInstance[],
  ): Promise<Omit<AdoptionResult, 'environmentID' | 'changed' | 'ended'>> {
    const { environmentID, changed, ended, ...result } = await this.store.transaction((tx) =>
      adoptInstances(tx, { sessionID, previousSessionID, held }),
    );
    for (const instanceID of changed) this.changes.notify(instanceID);
    for (const row of ended) this.changes.notifyEnd(row);
    // The previous session's claim is cancelled in any case, because it may still be pending.
    this.rpc.notify(notifications.work, { environmentID, from: previousSessionID });
    return result;
  }

  /** Throws UNAVAILABLE while the database is away or accepts no writes. */
  async requireWritableDatabase(): Promise<void> {
    if (!(await this.store.ping())) throw new ApiError('UNAVAILABLE', 'The database accepts no writes; try again.');
  }
}

async function adoptInstances(tx: Store, request: AdoptionRequest): Promise<AdoptionResult> {
  const { sessionID, previousSessionID, held } = request;
  const previous = await tx.rows<{ instance_id: string }>(FIND_OF_SESSION_SQL, [previousSessionID]);
  const fences = new Map(held.map(({ instanceID, fence }) => [instanceID, fence]));
  const rows = await lockInstances(tx, [...new Set([...fences.keys(), ...previous.map((row) => row.instance_id)])]);
  // Read after the wait for the locks, during which the session may have ended and the agent may have resumed in a later one.
  const environmentID = await environmentOfOpenSession(tx, sessionID);
  const laterSessionIDs = await findLaterSessions(tx, rows, request);
  const granted: AdoptedInstance[] = [];
  const changed: string[] = [];
  const ended: InstanceRow[] = [];
  const crashed: InstanceRow[] = [];
  for (const row of rows) {
    const isHeld = fences.get(row.instance_id) === row.fence && row.environment_id === environmentID;
    const hasLaterSession = row.session_id !== null && laterSessionIDs.has(row.session_id);
    const change = isHeld && !hasLaterSession ? transition(row, { type: 'adopt' }) : undefined;
    if (change && !('refused' in change)) {
      granted.push(toAdopted(row));
      if (change.next.status !== row.status) changed.push(row.instance_id);
    } else if (row.session_id === previousSessionID && row.environment_id === environmentID) {
      const loss = await requeueOrEndLost(tx, row);
      if (loss === 'queued') changed.push(row.instance_id);
      else if (loss) ended.push(row);
      if (loss === 'crashed') crashed.push(row);
    }
  }
  cancelQueuesOnException(tx, crashed);
  const grantedIDs = new Set(granted.map(({ instanceID }) => instanceID));
  // One statement for all, because an agent may hold a thousand instances.
  if (grantedIDs.size > 0) tx.atCommit(ADOPT_SQL, [sessionID, [...grantedIDs]]);
  const revoked = held.filter(({ instanceID }) => !grantedIDs.has(instanceID));
  return { environmentID, changed, ended, granted, revoked };
}

/**
 * The environment of a session that is open. Throws CONFLICT otherwise, because a delayed request of a closed session
 * must not take instances that the agent resumed in a later session.
 */
async function environmentOfOpenSession(tx: Store, sessionID: string): Promise<string> {
  const row = await tx.row<{ environment_id: string }>(
    `SELECT environment_id FROM agent_session
      WHERE session_id = ? AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
    [sessionID],
  );
  if (!row) throw new ApiError('CONFLICT', `sessionID: the session ${sessionID} is over`);
  return row.environment_id;
}

/**
 * Those sessions of the rows that are open and were opened after the adopting session. If there are any, the request to adopt is late: the
 * agent holds their instances in the later session, although the router of the adopting one may not have noticed.
 */
async function findLaterSessions(
  tx: Store,
  rows: readonly InstanceRow[],
  { sessionID, previousSessionID }: AdoptionRequest,
): Promise<Set<string>> {
  const others = new Set(rows.flatMap(({ session_id: id }) => (id === null ? [] : [id])));
  others.delete(sessionID);
  others.delete(previousSessionID);
  if (others.size === 0) return new Set();
  const later = await tx.rows<{ session_id: string }>(
    `SELECT other.session_id FROM agent_session other JOIN agent_session own ON own.session_id = ?
      WHERE other.session_id IN (?) AND other.connected_at > own.connected_at
        AND other.closed_at IS NULL AND other.lease_until > UTC_TIMESTAMP(3)`,
    [sessionID, [...others]],
  );
  return new Set(later.map((row) => row.session_id));
}

function toAdopted(row: InstanceRow): AdoptedInstance {
  const { instance_id: instanceID, fence, desired, request_id: requestID, traceparent } = row;
  return { instanceID, fence, desired, requestID, ...(traceparent !== null && { traceparent }) };
}
