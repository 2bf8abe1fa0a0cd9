import type { Store } from '@batuta/database';
import { statusBefore } from '../instances/status-sql';
import { hasCancelled, lockCancelled } from '../instances/instance.repository';
import { CANCELLED_QUEUE_EXECUTOR, writeEnds } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { transition } from '../instances/transition';

const PAGE_SIZE = 100;

/** Writes nothing if the environment is not configured to cancel, or if its queue is empty. */
const CANCEL_QUEUE_SQL = `INSERT INTO queue_cancellation (environment_id, cancel_before)
  SELECT environment_id, UTC_TIMESTAMP(3) FROM environment
   WHERE environment_id = ? AND cancel_queue_on_exception = 1
     AND EXISTS (SELECT 1 FROM instance FORCE INDEX (instance_queue) WHERE environment_id = ? AND ${statusBefore('claim')})
  ON DUPLICATE KEY UPDATE cancel_before = GREATEST(cancel_before, VALUES(cancel_before))`;

/**
 * To be called with the instances that end in error: cancels the instances that are queued now in their environments, where these are configured
 * to do so (contract 4.17, interpretation 46). A debug run cancels nothing, because no other run builds on it. One row for each environment is
 * written, in the transaction that writes the error, so that a crash leaves both or neither. No claim that begins after the commit takes a
 * cancelled instance; `cancelBite` ends them.
 */
export function cancelQueuesOnException(
  tx: Store,
  failed: readonly Pick<InstanceRow, 'environment_id' | 'trigger_kind'>[],
): void {
  const ofProduction = failed.filter(({ trigger_kind: trigger }) => trigger !== 'debug');
  // Sorted, so that two transactions take their locks in the same order and cannot deadlock.
  const environmentIDs = [...new Set(ofProduction.map((row) => row.environment_id))].toSorted();
  for (const environmentID of environmentIDs) tx.atCommit(CANCEL_QUEUE_SQL, [environmentID, environmentID]);
}

/** The environments whose queue is being cancelled, a page of those after `environmentID`. */
export async function environmentsWithCancellation(store: Store, environmentID = ''): Promise<string[]> {
  const rows = await store.rows<{ environment_id: string }>(
    'SELECT environment_id FROM queue_cancellation WHERE environment_id > ? ORDER BY environment_id LIMIT ?',
    [environmentID, PAGE_SIZE],
  );
  return rows.map((row) => row.environment_id);
}

/**
 * Stops up to `limit` of the cancelled instances, gives their credits back, and resolves to their rows. Concurrent calls
 * end different instances.
 */
export function cancelBite(store: Store, environmentID: string, limit: number): Promise<InstanceRow[]> {
  return store.transaction(async (tx) => {
    const rows = await lockCancelled(tx, environmentID, limit);
    const ends = rows.map((row) => {
      const change = transition(row, { type: 'cancel' });
      if ('refused' in change || change.outcome === undefined) throw new Error('A queued instance cannot be cancelled');
      return { row, change, outcome: change.outcome, executor: CANCELLED_QUEUE_EXECUTOR };
    });
    writeEnds(tx, ends);
    return rows;
  });
}

/**
 * Ends the cancellation when none of its instances is in the queue any longer; returns false, without effect, while
 * some of them still are, because another transaction has locked them. The lock is taken first, so that no report
 * extends the cancellation between the check and the deletion.
 */
export function endCancellation(store: Store, environmentID: string): Promise<boolean> {
  return store.transaction(async (tx) => {
    await tx.rows('SELECT cancel_before FROM queue_cancellation WHERE environment_id = ? FOR UPDATE', [environmentID]);
    if (await hasCancelled(tx, environmentID)) return false;
    tx.atCommit('DELETE FROM queue_cancellation WHERE environment_id = ?', [environmentID]);
    return true;
  });
}
