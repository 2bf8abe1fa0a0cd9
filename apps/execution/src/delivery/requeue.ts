import type { Store } from '@batuta/database';
import { writeEnds } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { transition, type Transition } from '../instances/transition';

/** What becomes of an instance whose session was lost. */
export type LossResult = 'queued' | 'crashed' | 'stopped';

/** Returns an instance that was claimed but not granted to its old position in the queue. */
export async function requeue(tx: Store, row: InstanceRow, { next: { status } }: Transition): Promise<void> {
  await tx.write('UPDATE instance SET status = ?, session_id = NULL, claimed_at = NULL WHERE instance_id = ?', [
    status,
    row.instance_id,
  ]);
}

/**
 * Requeues an instance that did not run yet, and ends one that ran: as stopped when a stop was requested, as crashed
 * otherwise. Undefined, without effect, for an instance that is queued or has ended. After a crash the caller must call
 * `cancelQueuesOnException`.
 */
export async function requeueOrEndLost(tx: Store, row: InstanceRow): Promise<LossResult | undefined> {
  const change = transition(row, { type: 'lost' });
  if ('refused' in change) return undefined;
  if (change.outcome === undefined) {
    await requeue(tx, row, change);
    return 'queued';
  }
  const crashed = change.outcome === 'CRASHED';
  const errorMessage = crashed ? 'The agent that ran the execution was lost.' : null;
  writeEnds(tx, [{ row, change, outcome: change.outcome, errorMessage }]);
  return crashed ? 'crashed' : 'stopped';
}
