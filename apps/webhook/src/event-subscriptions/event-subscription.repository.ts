import type { DisabledReason } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { changeWaiting, type WaitingChange } from '../event-deliveries/waiting-deliveries.repository';

export interface SubscriptionRow {
  subscription_id: string;
  company_id: string;
  /** Null for a subscription to the events of all processes of the company. */
  process_id: string | null;
  url: string;
  /** The short names of `event-names.ts`, separated by commas. */
  events: string;
  sealed_secret: Buffer;
  /** The secret before the last rotation, as long as messages are also signed with it; otherwise null. */
  sealed_previous: Buffer | null;
  enabled: number;
  /** Why the service switched it off; null while it is on, or when an administrator switched it off. */
  disabled_reason: DisabledReason | null;
  /** At most ten seconds (SUCCESS_INTERVAL_SECONDS) before the latest success of a delivery; null before the first. A test event does not count. */
  last_success_at: Date | null;
  created_at: Date;
}

/** A subscription with its numbers of waiting and of dead deliveries, each counted up to MAX_COUNTED_DELIVERIES. */
export type CountedSubscriptionRow = SubscriptionRow & { waiting: number; dead: number };

/** The columns that an administrator sets. */
export type SubscriptionColumns = Pick<SubscriptionRow, 'process_id' | 'url' | 'events'> & { enabled: boolean };

const COLUMNS = `s.subscription_id, s.company_id, s.process_id, s.url, s.events, s.sealed_secret,
  IF(s.previous_until > UTC_TIMESTAMP(3), s.sealed_previous, NULL) AS sealed_previous, s.enabled, s.disabled_reason,
  s.last_success_at, s.created_at`;
/** Counting stops here: a page of subscriptions must not read millions of deliveries. */
const MAX_COUNTED_DELIVERIES = 10_000;
/** More than the attempts of one subscription that replicas end at the same moment. */
const MAX_OLDEST_TRIES = 20;

const countOf = (status: 'waiting' | 'dead') =>
  `(SELECT COUNT(*) FROM (SELECT 1 FROM event_delivery WHERE subscription_id = ? AND status = '${status}'
     LIMIT ${MAX_COUNTED_DELIVERIES}) counted)`;

/** Oldest first. */
export async function findSubscriptionsOfCompany(store: Store, companyID: string): Promise<CountedSubscriptionRow[]> {
  const rows = await store.rows<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM event_subscription s WHERE s.company_id = ? ORDER BY s.subscription_id`,
    [companyID],
  );
  const counted: CountedSubscriptionRow[] = [];
  for (const row of rows) counted.push({ ...row, ...(await deliveryCounts(store, row.subscription_id)) });
  return counted;
}

/** Throws NOT_FOUND, also for a subscription of another company. */
export async function findSubscription(store: Store, companyID: string, id: string): Promise<CountedSubscriptionRow> {
  const row = await store.row<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM event_subscription s WHERE s.subscription_id = ? AND s.company_id = ?`,
    [id, companyID],
  );
  if (!row) throw noSuchSubscription();
  return { ...row, ...(await deliveryCounts(store, id)) };
}

/** Locks a subscription of the company until the transaction ends. Throws NOT_FOUND. */
export async function lockSubscription(tx: Store, companyID: string, id: string): Promise<SubscriptionRow> {
  const row = await tx.row<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM event_subscription s WHERE s.subscription_id = ? AND s.company_id = ? FOR UPDATE`,
    [id, companyID],
  );
  if (!row) throw noSuchSubscription();
  return row;
}

/** Whether the company owns the process; locks it, so that it is not deleted until the transaction ends. */
export async function lockOwnProcess(tx: Store, companyID: string, processID: string): Promise<boolean> {
  const found = await tx.row(
    'SELECT 1 AS found FROM process WHERE process_id = ? AND company_id = ? LOCK IN SHARE MODE',
    [processID, companyID],
  );
  return found !== undefined;
}

export async function insertSubscription(
  tx: Store,
  { id, companyID, sealed }: { id: string; companyID: string; sealed: Buffer },
  { process_id, url, events, enabled }: SubscriptionColumns,
): Promise<void> {
  await tx.write(
    `INSERT INTO event_subscription (subscription_id, company_id, process_id, url, events, sealed_secret, enabled, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [id, companyID, process_id, url, events, sealed, enabled],
  );
}

/**
 * Changes a subscription. Switching it on clears the reason for which it was switched off; switching it on or changing its
 * address forgets since when its deliveries fail (`first_failure_at`).
 */
export async function changeSubscription(tx: Store, id: string, columns: Partial<SubscriptionColumns>): Promise<void> {
  const assignments = Object.keys(columns).map((name) => `${name} = ?`);
  if (columns.enabled === true) assignments.push('disabled_reason = NULL');
  if (columns.enabled === true || columns.url !== undefined) assignments.push('first_failure_at = NULL');
  if (assignments.length === 0) return;
  await tx.write(`UPDATE event_subscription SET ${assignments.join(', ')} WHERE subscription_id = ?`, [
    ...Object.values(columns),
    id,
  ]);
}

/** Replaces the secret. Messages are also signed with the previous one, `previous`, for this number of hours. */
export async function replaceSecret(
  tx: Store,
  id: string,
  { sealed, previous, hours }: { sealed: Buffer; previous: Buffer; hours: number },
): Promise<void> {
  await tx.write(
    `UPDATE event_subscription SET sealed_secret = ?, sealed_previous = ?,
            previous_until = UTC_TIMESTAMP(3) + INTERVAL ? HOUR
      WHERE subscription_id = ?`,
    [sealed, previous, hours, id],
  );
}

/**
 * Makes the oldest waiting delivery due, so that the next round of a worker finds it. If the subscription is switched off, or its company
 * suspended, that round and the next ones end all its waiting deliveries.
 */
export async function makeOldestDue(tx: Store, id: string): Promise<void> {
  const change: WaitingChange = { set: ['next_attempt_at = UTC_TIMESTAMP(3)'], isOldestFirst: true };
  for (let tries = 0; tries < MAX_OLDEST_TRIES; tries += 1) {
    const { found, changed } = await changeWaiting(tx, id, change, 1);
    // An attempt may have ended the oldest in between; then another delivery is the oldest.
    if (found === 0 || changed > 0) return;
  }
}

/** Deletes the subscription; a sweep removes its deliveries. */
export async function deleteSubscription(store: Store, id: string): Promise<void> {
  await store.write('DELETE FROM event_subscription WHERE subscription_id = ?', [id]);
}

/** Deletes the subscription if its process was deleted; an administrator may have bound it to another process since the caller read it. */
export async function deleteOrphanedSubscription(store: Store, id: string): Promise<void> {
  await store.write(
    `DELETE FROM event_subscription WHERE subscription_id = ? AND process_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM process p WHERE p.process_id = event_subscription.process_id)`,
    [id],
  );
}

async function deliveryCounts(store: Store, id: string): Promise<{ waiting: number; dead: number }> {
  const row = await store.row<{ waiting: number; dead: number }>(
    `SELECT ${countOf('waiting')} AS waiting, ${countOf('dead')} AS dead`,
    [id, id],
  );
  return row ?? { waiting: 0, dead: 0 };
}

function noSuchSubscription(): ApiError {
  return new ApiError('NOT_FOUND', 'No such event subscription.');
}
