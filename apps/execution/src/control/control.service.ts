import { notifications, type ControlAction, type DesiredInstance, type Viewer } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import type { InstanceRow } from '../instance/bodies';
import { Changes } from '../instance/changes';
import { writeEnd } from '../instance/ending';
import { lockInstance } from '../instance/instance.repository';
import { transition, type Moved } from '../instance/transition';

type Hinted = (DesiredInstance & { sessionID: string }) | undefined;

/** stop, pause and resume: a durable wish, of which the agent is told by a hint and, should it miss it, again. */
@Injectable()
export class ControlService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: Changes,
  ) {}

  async control(instanceID: string, action: ControlAction, viewer: Viewer, executor: string): Promise<void> {
    const hinted = await this.store.transaction(async (tx) => {
      const row = await lockInstance(tx, instanceID);
      if (!row || !isVisible(row, viewer)) throw new ApiError('INSTANCE_NOT_FOUND');
      return apply(tx, row, action, { viewer, executor });
    });
    if (hinted) this.rpc.notify(notifications.desired, hinted);
    this.changes.tell(instanceID);
  }
}

function isVisible(row: InstanceRow, { accountID }: Viewer): boolean {
  return row.starter_account_id === accountID || row.owner_account_id === accountID;
}

async function apply(
  tx: Store,
  row: InstanceRow,
  action: ControlAction,
  by: { viewer: Viewer; executor: string },
): Promise<Hinted> {
  const next = transition(row, { type: action });
  if ('refused' in next) throw refusal(row, action, next.refused);
  await tx.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [row.process_id, row.instance_id, by.viewer.accountID, action, by.executor, JSON.stringify({ status: row.status })],
  );
  if (next.outcome) {
    await writeEnd(tx, row, next, { outcome: next.outcome, executor: by.executor });
    return undefined;
  }
  return wish(tx, row, next);
}

async function wish(tx: Store, row: InstanceRow, { moved: { desired } }: Moved): Promise<Hinted> {
  if (desired !== row.desired) {
    await tx.write('UPDATE instance SET desired = ? WHERE instance_id = ?', [desired, row.instance_id]);
  }
  if (row.session_id === null) return undefined;
  return { instanceID: row.instance_id, fence: row.fence, desired, sessionID: row.session_id };
}

function refusal(row: InstanceRow, action: ControlAction, refused: 'finished' | 'unresolved' | 'stale'): ApiError {
  if (refused === 'finished') return new ApiError('INSTANCE_FINISHED', `The execution has ended with ${row.status}.`);
  const state = row.status === 'running' && row.desired !== 'run' ? `running, to ${row.desired}` : row.status;
  return new ApiError('INSTANCE_UNRESOLVED', `${action} does not apply to an execution that is ${state}.`);
}
