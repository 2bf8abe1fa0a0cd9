import type { Store } from '@batuta/database';
import { writeEnd } from './instance-end';
import { lockOldestQueued } from './instance.repository';
import { transition } from './transition';

const MAX_CANCELLED = 100_000;

/**
 * After an instance of the environment ended in error: stops the queued instances unrun and returns their credits, when the
 * environment is configured so (contract 4.17, interpretation 46). It is part of the transaction that writes the error, so that
 * a crash of the service leaves both or neither. Call it once in a transaction: the ends are written with the commit, and
 * until then the instances still look queued.
 */
export async function cancelQueueOnException(tx: Store, environmentID: string): Promise<number> {
  const environment = await tx.row<{ cancel_queue_on_exception: number }>(
    'SELECT cancel_queue_on_exception FROM environment WHERE environment_id = ?',
    [environmentID],
  );
  if (environment?.cancel_queue_on_exception !== 1) return 0;
  const queued = await lockOldestQueued(tx, environmentID, MAX_CANCELLED);
  for (const row of queued) {
    const change = transition(row, { type: 'cancel' });
    if ('refused' in change || change.outcome === undefined) continue;
    await writeEnd(tx, row, change, { outcome: change.outcome, executor: 'cancelQueueOnException' });
  }
  return queued.length;
}
