import type { BiteOptions, Store } from '@batuta/database';
import { fromEventsColumn } from '../event-subscriptions/event-names';
import type { SubscriptionRow } from '../event-subscriptions/event-subscription.repository';
import { endOfWaiting, type LeasedDelivery } from './delivery.repository';
import { changeInBites, changeWaiting, type ChangeCounts } from './waiting-deliveries.repository';

/** What a subscription asks for: events of a process, or of all processes of its company. */
type Asked = Pick<SubscriptionRow, 'process_id' | 'events'>;

/** Whether a subscription still asks for a delivery: its process and its events may have been changed since the event. */
export function asksFor({ process_id: processID, events }: Asked, delivery: LeasedDelivery): boolean {
  const isOfProcess = processID === null || processID === delivery.process_id;
  return isOfProcess && fromEventsColumn(events).includes(delivery.event);
}

/** Ends the waiting deliveries for which a subscription no longer asks: its address may by now belong to somebody who must not get them. */
export function endUnasked(store: Store, id: string, options: BiteOptions): Promise<ChangeCounts> {
  const end = async (tx: Store, limit: number) => {
    // A change of the subscription waits for this lock, so that no delivery ends for which it asks again.
    const asked = await tx.row<Asked>(
      'SELECT process_id, events FROM event_subscription WHERE subscription_id = ? LOCK IN SHARE MODE',
      [id],
    );
    if (!asked) return { found: 0, changed: 0 };
    const { process_id: processID, events } = asked;
    return changeWaiting(
      tx,
      id,
      {
        ...endOfWaiting('the subscription no longer asks for this event'),
        where: ['(event NOT IN (?) OR process_id <> COALESCE(?, process_id))', fromEventsColumn(events), processID],
      },
      limit,
    );
  };
  return changeInBites((limit) => store.transaction((tx) => end(tx, limit)), options);
}
