import type { Store } from '@batuta/database';
import { statusBefore } from '../instances/status-sql';
import { hasCancelled, lockCancelled } from '../instances/instance.repository';
import { writeEnds } from '../instances/instance-end';
import { transition } from '../instances/transition';

const PAGE_SIZE = 100;

/** Nothing is recorded for an empty queue, which is the usual one. */
const CANCEL_QUEUE_SQL = `INSERT INTO queue_cancellation (environment_id, cancel_before)
  SELECT environment_id, UTC_TIMESTAMP(3) FROM environment
   WHERE environment_id = ? AND cancel_queue_on_exception = 1
     AND EXISTS (SELECT 1 FROM instance FORCE INDEX (instance_queue) WHERE environment_id = ? AND ${statusBefore('claim')})
  ON DUPLICATE KEY UPDATE cancel_before = GREATEST(cancel_before, VALUES(cancel_before))`;

/**
 * After an instance of the environment ended in error: cancels what the environment has queued until now, when it is configured
 * so (contract 4.17, interpretation 46). This writes one row, in the transaction that writes the error, so that a crash of the
 * service leaves both or neither. From its commit on no instance of them is claimed; `cancelBatch` ends them.
 */
export function cancelQueueOnException(tx: Store, environmentID: string): void {
  tx.atCommit(CANCEL_QUEUE_SQL, [environmentID, environmentID]);
}

/** The environments after `environmentID` whose queue is being cancelled. */
export async function environmentsToCancel(store: Store, environmentID = ''): Promise<string[]> {
  const rows = await store.rows<{ environment_id: string }>(
    'SELECT environment_id FROM queue_cancellation WHERE environment_id > ? ORDER BY environment_id LIMIT ?',
    [environmentID, PAGE_SIZE],
  );
  return rows.map((row) => row.environment_id);
}

/**
 * Stops up to `limit` of the instances unrun and returns their credits; returns their ids. Other transactions may do the same at
 * the same time, and end other instances.
 */
export function cancelBatch(store: Store, environmentID: string, limit: number): Promise<string[]> {
  return store.transaction(async (tx) => {
    const rows = await lockCancelled(tx, environmentID, limit);
    const ends = rows.map((row) => {
      const change = transition(row, { type: 'cancel' });
      if ('refused' in change || change.outcome === undefined) throw new Error('A queued instance cannot be cancelled');
      return { row, change, outcome: change.outcome, executor: 'cancelQueueOnException' };
    });
    writeEnds(tx, ends);
    return rows.map((row) => row.instance_id);
  });
}

/**
 * Ends the cancellation when none of its instances is in the queue any longer; false while another transaction has some of
 * them. The lock comes first: a report cannot extend the cancellation between the look and the deletion.
 */
export function endCancellation(store: Store, environmentID: string): Promise<boolean> {
  return store.transaction(async (tx) => {
    await tx.rows('SELECT cancel_before FROM queue_cancellation WHERE environment_id = ? FOR UPDATE', [environmentID]);
    if (await hasCancelled(tx, environmentID)) return false;
    tx.atCommit('DELETE FROM queue_cancellation WHERE environment_id = ?', [environmentID]);
    return true;
  });
}
