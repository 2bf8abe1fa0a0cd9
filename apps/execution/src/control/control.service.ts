import { lockAccountOfCaller, lockCredential } from '@batuta/catalog';
import {
  notifications,
  storedExecutor,
  type ApiCaller,
  type ControlAction,
  type InstanceWithDesiredState,
  type DesiredState,
  type Viewer,
} from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { writeEnds } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { instanceNotFound } from '../instances/instance-not-found';
import { lockInstance } from '../instances/instance.repository';
import { writeShareEvents } from '../instances/share-event.repository';
import { transition, type RefusedTransition, type Transition } from '../instances/transition';

const WORDS_OF_DESIRED: Record<DesiredState, string> = { run: 'running', pause: 'paused', stop: 'being stopped' };

type SessionInstance = InstanceWithDesiredState & { sessionID: string };

/**
 * `ended`: the instance if the action ended it. `notification`: the desired state for the router; undefined when the action ended the instance,
 * or no session has it.
 */
interface AppliedAction {
  ended?: InstanceRow;
  notification?: SessionInstance;
}

/**
 * The actions stop, pause and resume. A stop of an instance that does not run yet ends it; every other action writes the
 * desired state of a running instance. The router of its session is notified, and reads the desired states again from time
 * to time in case the notification was lost.
 */
@Injectable()
export class ControlService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
  ) {}

  /**
   * Writes the action and its audit event, and returns before the agent has acted. Throws INSTANCE_FINISHED, INSTANCE_UNRESOLVED,
   * INSTANCE_NOT_FOUND (also for a viewer who neither started the instance nor owned its process at the start), and what
   * `lockAccountOfCaller` and `lockCredential` throw for a viewer who has lost access meanwhile.
   */
  async control(instanceID: string, action: ControlAction, viewer: ApiCaller, executor: string): Promise<void> {
    const { ended, notification } = await this.store.transaction(async (tx) => {
      // The account is locked before what belongs to a process (`lockPermission`).
      await lockAccountOfCaller(tx, viewer);
      if (viewer.credentialID !== undefined) await lockCredential(tx, viewer.credentialID);
      const row = await lockInstance(tx, instanceID);
      if (!row || !isVisible(row, viewer)) throw instanceNotFound();
      return applyAction(tx, row, action, { viewer, executor: storedExecutor(executor) });
    });
    if (notification) this.rpc.notify(notifications.desired, notification);
    if (ended) this.changes.notifyEnd(ended);
    else this.changes.notify(instanceID);
  }

  /** The desired states of the running instances of these sessions, without those that are `run`. */
  async desiredStates(sessionIDs: string[]): Promise<SessionInstance[]> {
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
}

function isVisible(row: InstanceRow, { accountID }: Viewer): boolean {
  return row.starter_account_id === accountID || row.owner_account_id === accountID;
}

async function applyAction(
  tx: Store,
  row: InstanceRow,
  action: ControlAction,
  by: { viewer: Viewer; executor: string },
): Promise<AppliedAction> {
  const change = transition(row, { type: action });
  if ('refused' in change) throw refusalOfAction(row, action, change);
  tx.atCommit(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [row.process_id, row.instance_id, by.viewer.accountID, action, by.executor, JSON.stringify({ status: row.status })],
  );
  writeShareEvents(tx, [row]);
  if (change.outcome) {
    writeEnds(tx, [{ row, change, outcome: change.outcome, executor: by.executor }]);
    return { ended: row };
  }
  return { notification: await writeDesired(tx, row, change) };
}

async function writeDesired(
  tx: Store,
  row: InstanceRow,
  { next: { desired } }: Transition,
): Promise<SessionInstance | undefined> {
  if (desired !== row.desired) {
    await tx.write('UPDATE instance SET desired = ? WHERE instance_id = ?', [desired, row.instance_id]);
  }
  if (row.session_id === null) return undefined;
  return { instanceID: row.instance_id, fence: row.fence, desired, sessionID: row.session_id };
}

function refusalOfAction(row: InstanceRow, action: ControlAction, { refused }: RefusedTransition): ApiError {
  if (refused === 'finished') return new ApiError('INSTANCE_FINISHED', `The execution has ended with ${row.status}.`);
  const state = row.status === 'running' ? WORDS_OF_DESIRED[row.desired] : row.status;
  return new ApiError('INSTANCE_UNRESOLVED', `${action} does not apply to an execution that is ${state}.`);
}
