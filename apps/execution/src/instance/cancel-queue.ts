import type { Store } from '@batuta/database';
import { writeEnd } from './ending';
import { lockOldestQueued } from './instance.repository';
import { transition } from './transition';

const AT_ONCE = 100_000;

/**
 * After an execution of the environment ended in error: what waits in its queue is stopped unrun and its credits given
 * back, when the environment is set so (contract 4.17, interpretation 46). Part of the transaction that writes the error, so that
 * a crash leaves either both or neither; once in a transaction, since the ends are written with its commit.
 */
export async function cancelQueueOnException(tx: Store, environmentID: string): Promise<number> {
  const environment = await tx.row<{ cancel_queue_on_exception: number }>(
    'SELECT cancel_queue_on_exception FROM environment WHERE environment_id = ?',
    [environmentID],
  );
  if (environment?.cancel_queue_on_exception !== 1) return 0;
  const queued = await lockOldestQueued(tx, environmentID, AT_ONCE);
  for (const row of queued) {
    const next = transition(row, { type: 'cancel' });
    if ('refused' in next || next.outcome === undefined) continue;
    await writeEnd(tx, row, next, { outcome: next.outcome, executor: 'cancelQueueOnException' });
  }
  return queued.length;
}
