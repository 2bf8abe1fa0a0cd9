import { OrphanSweep, removeOrphans } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { deleteOrphanedSubscription } from './event-subscription.repository';

/** Removes the event subscriptions of the process, if it was deleted; returns their number. */
export function removeOrphanedSubscriptions(store: Store, processID: string): Promise<number> {
  return removeOrphans(store, 'event_subscription', (id) => deleteOrphanedSubscription(store, id), processID);
}

/** Makes the sweep that removes the event subscriptions of all deleted processes; each run reads one page of subscriptions. */
export function createOrphanedSubscriptionSweep(store: Store): OrphanSweep {
  return new OrphanSweep(store, 'event_subscription', (id) => deleteOrphanedSubscription(store, id));
}
