import { OrphanSweep, removeOrphans } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { deleteSubscription } from './event-subscription.repository';

/** Removes the event subscriptions of a deleted process; returns their number. */
export function removeOrphanedSubscriptions(store: Store, processID: string): Promise<number> {
  return removeOrphans(store, 'event_subscription', (id) => deleteSubscription(store, id), processID);
}

/** Removes the event subscriptions of all deleted processes, a page of subscriptions at a time. */
export function sweepOfOrphanedSubscriptions(store: Store): OrphanSweep {
  return new OrphanSweep(store, 'event_subscription', (id) => deleteSubscription(store, id));
}
