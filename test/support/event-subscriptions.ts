import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';

/** The stored words of all events. */
export const ALL_EVENTS = 'success,error,terminated,stopped,failed,skipped';

export interface SubscriptionFields {
  events?: string;
  processID?: string;
  enabled?: boolean;
}

/** Inserts an event subscription of the company, by default to all events of all its processes; returns its id. */
export async function insertSubscription(
  store: Store,
  companyID: string,
  { events = ALL_EVENTS, processID, enabled = true }: SubscriptionFields = {},
): Promise<string> {
  const id = uuid();
  await store.write(
    `INSERT INTO event_subscription (subscription_id, company_id, process_id, url, events, sealed_secret, enabled, created_at)
     VALUES (?, ?, ?, 'https://receiver.example/', ?, 'sealed', ?, UTC_TIMESTAMP(3))`,
    [id, companyID, processID ?? null, events, enabled],
  );
  return id;
}
