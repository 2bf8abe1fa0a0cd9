import { lockCompanyInShareMode } from '@batuta/catalog';
import type { DisabledReason, EventName } from '@batuta/contracts';
import type { BiteOptions, Store } from '@batuta/database';
import { makeOldestDue, type SubscriptionRow } from '../event-subscriptions/event-subscription.repository';
import { changeInBites, changeWaiting, type ChangeCounts, type WaitingChange } from './waiting-deliveries.repository';
import { closedReason, type SubscriptionState } from './closed-reason';

/** `instance_id` is the id of the instance that ended or, if the event is a firing that started none, the id of the event. */
export interface DeliveryKey {
  subscription_id: string;
  instance_id: string;
}

/** A delivery that this replica alone may attempt until `lease_until`. */
export interface LeasedDelivery extends DeliveryKey {
  process_id: string;
  event: EventName;
  /** The JSON text of the event's `data`. */
  payload: string;
  created_at: Date;
  /** The number of attempts, including the one that the lease is for. */
  attempts: number;
  lease_until: Date;
}

/** What an attempt needs to know of its subscription. */
export interface DeliveryTarget extends SubscriptionState, Omit<SubscriptionRow, 'last_success_at' | 'created_at'> {
  /** The time of the first failed attempt since the last success; null = none has failed. */
  first_failure_at: Date | null;
}

/** The result of a failed attempt; without a pause it was the last one. */
export interface FailedAttempt {
  /** The address that was called. If the subscription has another one by now, a 410 is only a failed attempt. */
  url: string;
  /** The HTTP status of the answer; null when there was none. */
  status: number | null;
  error: string;
  pauseMs: number | undefined;
  /** Whether the address answered 410: it wants no more events. */
  isGone: boolean;
}

const DAYS_WITHOUT_SUCCESS = 5;
/** Successes of a busy subscription change its row no more often than this. */
const SUCCESS_INTERVAL_SECONDS = 10;

/**
 * The deliveries whose attempt is due, those that have waited longest first, without those of `excluded` subscriptions. It reads
 * an index only and locks nothing.
 */
export function findDueDeliveries(store: Store, excluded: string[], limit: number): Promise<DeliveryKey[]> {
  const others = excluded.length === 0 ? '' : 'AND subscription_id NOT IN (?)';
  return store.rows<DeliveryKey>(
    `SELECT subscription_id, instance_id FROM event_delivery FORCE INDEX (event_delivery_due)
      WHERE next_attempt_at <= UTC_TIMESTAMP(3) ${others}
      ORDER BY next_attempt_at, subscription_id, instance_id LIMIT ?`,
    [...(excluded.length === 0 ? [] : [excluded]), limit],
  );
}

/** The subscriptions with these ids by id; one that was removed is missing. */
export async function findDeliveryTargets(store: Store, ids: string[]): Promise<Map<string, DeliveryTarget>> {
  if (ids.length === 0) return new Map();
  const rows = await store.rows<DeliveryTarget>(
    `SELECT s.subscription_id, s.company_id, s.process_id, s.url, s.events, s.sealed_secret,
            IF(s.previous_until > UTC_TIMESTAMP(3), s.sealed_previous, NULL) AS sealed_previous,
            s.enabled, s.disabled_reason, c.suspended, s.first_failure_at
       FROM event_subscription s JOIN company c ON c.company_id = s.company_id
      WHERE s.subscription_id IN (?)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.subscription_id, row]));
}

/**
 * Leases the deliveries that are still due and unlocked, and counts an attempt of those for which `countsAttempt` is true. A lease is a later
 * `next_attempt_at`: without a result the delivery is due again.
 */
export function leaseDeliveries(
  store: Store,
  keys: DeliveryKey[],
  leaseMs: number,
  countsAttempt: (delivery: LeasedDelivery) => boolean = () => true,
): Promise<LeasedDelivery[]> {
  if (keys.length === 0) return Promise.resolve([]);
  const anyOf = (some: DeliveryKey[]) => some.map(() => '(subscription_id = ? AND instance_id = ?)').join(' OR ');
  const idsOf = (some: DeliveryKey[]) => some.flatMap((key) => [key.subscription_id, key.instance_id]);
  return store.transaction(async (tx) => {
    const rows = await tx.rows<LeasedDelivery>(
      `SELECT subscription_id, instance_id, process_id, event, payload, created_at, attempts + 1 AS attempts,
              UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND AS lease_until
         FROM event_delivery WHERE (${anyOf(keys)}) AND next_attempt_at <= UTC_TIMESTAMP(3) FOR UPDATE SKIP LOCKED`,
      [leaseMs * 1_000, ...idsOf(keys)],
    );
    const [first] = rows;
    if (!first) return [];
    for (const [isCounted, some] of Map.groupBy(rows, countsAttempt)) {
      await tx.write(`UPDATE event_delivery SET attempts = attempts + ?, next_attempt_at = ? WHERE ${anyOf(some)}`, [
        isCounted ? 1 : 0,
        first.lease_until,
        ...idsOf(some),
      ]);
    }
    return rows;
  });
}

/** The lease is a fence: an attempt whose lease has ended changes nothing once another attempt has begun. */
const IS_LEASED = `subscription_id = ? AND instance_id = ? AND status = 'waiting' AND attempts = ? AND next_attempt_at = ?`;

const leaseParametersOf = (delivery: LeasedDelivery) => [
  delivery.subscription_id,
  delivery.instance_id,
  delivery.attempts,
  delivery.lease_until,
];

/** The newest attempt of a delivery, also if a switch-off or the backlog limit has ended the delivery before the answer, or made it due to end it. */
const IS_NEWEST_ATTEMPT = `subscription_id = ? AND instance_id = ? AND attempts = ? AND status <> 'delivered'`;

/**
 * Stores that an attempt succeeded. Returns false when another attempt has begun, or the delivery was deleted; the
 * success of the subscription is recorded nevertheless. Transactions that lock both rows lock the subscription first,
 * which avoids deadlocks. This one keeps the lock of the subscription only if it changes its row.
 */
export function saveDelivered(store: Store, delivery: LeasedDelivery, status: number | null): Promise<boolean> {
  return store.transaction(async (tx) => {
    const [, { affectedRows }] = await Promise.all([
      tx.write(
        `UPDATE event_subscription SET last_success_at = UTC_TIMESTAMP(3), first_failure_at = NULL
          WHERE subscription_id = ? AND (first_failure_at IS NOT NULL OR last_success_at IS NULL
             OR last_success_at < UTC_TIMESTAMP(3) - INTERVAL ${SUCCESS_INTERVAL_SECONDS} SECOND)`,
        [delivery.subscription_id],
      ),
      tx.write(
        `UPDATE event_delivery FORCE INDEX (PRIMARY) SET status = 'delivered', next_attempt_at = NULL, last_status = ?, last_error = NULL,
                settled_at = UTC_TIMESTAMP(3)
          WHERE ${IS_NEWEST_ATTEMPT}`,
        [status, delivery.subscription_id, delivery.instance_id, delivery.attempts],
      ),
    ]);
    return affectedRows === 1;
  });
}

/**
 * SQL of the pause after an attempt; its parameter is in microseconds. No pause while the subscription is switched off, so that its deliveries
 * end with the next rounds.
 */
const PAUSE = `INTERVAL IF((SELECT s.enabled FROM event_subscription s WHERE s.subscription_id = event_delivery.subscription_id) = 0, 0, ?) MICROSECOND`;

/**
 * Stores a failed attempt. If the address is gone, the attempt was the last one, and the subscription is switched off, unless the lease was
 * lost: then somebody may have switched the subscription on again since. An address that was replaced meanwhile has only failed: the next
 * attempt calls the new one. Without the lease the delivery stays as it is. `isDead` = the attempt has ended the delivery.
 */
export function saveFailed(
  store: Store,
  delivery: LeasedDelivery,
  { url, status, error, pauseMs, ...failed }: FailedAttempt,
): Promise<{ isDead: boolean; isSwitchedOff: boolean }> {
  return store.transaction(async (tx) => {
    const isGone = failed.isGone && (await lockAddress(tx, delivery.subscription_id)) === url;
    const isLast = isGone || pauseMs === undefined;
    const [, { affectedRows }] = await Promise.all([
      // This statement locks the subscription also when it changes nothing, so that nobody switches it off before the commit.
      tx.write(
        'UPDATE event_subscription SET first_failure_at = COALESCE(first_failure_at, UTC_TIMESTAMP(3)) WHERE subscription_id = ?',
        [delivery.subscription_id],
      ),
      tx.write(
        `UPDATE event_delivery FORCE INDEX (PRIMARY) SET status = ?, last_status = ?, last_error = ?,
                next_attempt_at = ${isLast ? 'NULL' : `UTC_TIMESTAMP(3) + ${PAUSE}`},
                settled_at = ${isLast ? 'UTC_TIMESTAMP(3)' : 'NULL'}
          WHERE ${IS_LEASED}`,
        [
          isLast ? 'dead' : 'waiting',
          status,
          error,
          ...(isLast ? [] : [pauseMs * 1_000]),
          ...leaseParametersOf(delivery),
        ],
      ),
    ]);
    const isDead = isLast && affectedRows === 1;
    const isSwitchedOff = isDead && isGone && (await disableSubscription(tx, delivery.subscription_id, 'gone'));
    return { isDead, isSwitchedOff };
  });
}

/** The address of a subscription, which stays as it is until the transaction ends; undefined for one that was removed. */
async function lockAddress(tx: Store, id: string): Promise<string | undefined> {
  const row = await tx.row<{ url: string }>('SELECT url FROM event_subscription WHERE subscription_id = ? FOR UPDATE', [
    id,
  ]);
  return row?.url;
}

/**
 * Switches a subscription off, so that its waiting deliveries end with the next rounds; for the reason `failing` only when all attempts have
 * failed for more than DAYS_WITHOUT_SUCCESS. Returns false when it stays as it is.
 */
export function disableSubscription(store: Store, id: string, reason: DisabledReason): Promise<boolean> {
  const isDue =
    reason === 'failing' ? `AND first_failure_at < UTC_TIMESTAMP(3) - INTERVAL ${DAYS_WITHOUT_SUCCESS} DAY` : '';
  return store.transaction(async (tx) => {
    const { affectedRows } = await tx.write(
      `UPDATE event_subscription SET enabled = 0, disabled_reason = ? WHERE subscription_id = ? AND enabled = 1 ${isDue}`,
      [reason, id],
    );
    if (affectedRows === 0) return false;
    await makeOldestDue(tx, id);
    return true;
  });
}

/** The change that ends the waiting deliveries, the oldest first. */
export const endOfWaiting = (why: string): WaitingChange => ({
  set: [`status = 'dead', next_attempt_at = NULL, last_error = ?, settled_at = UTC_TIMESTAMP(3)`, why],
  isOldestFirst: true,
});

/**
 * Ends the waiting deliveries of a subscription that was removed or switched off, or whose company is suspended, until that changes. While some
 * are left, one of them is due, so that the next round continues. Deliveries that another replica ended meanwhile are found, and not changed.
 */
export function endWaiting(store: Store, id: string, options: BiteOptions = {}): Promise<ChangeCounts> {
  const end = async (tx: Store, limit: number) => {
    // Whoever switches the subscription on, or ends the suspension of the company, waits for these locks, so that no later delivery ends. The
    // company comes first, as in a change of a subscription.
    const owner = await tx.row<{ company_id: string }>(
      'SELECT company_id FROM event_subscription WHERE subscription_id = ?',
      [id],
    );
    if (owner) await lockCompanyInShareMode(tx, owner.company_id);
    const target = await tx.row<SubscriptionState>(
      `SELECT s.enabled, s.disabled_reason, c.suspended FROM event_subscription s JOIN company c ON c.company_id = s.company_id
        WHERE s.subscription_id = ? LOCK IN SHARE MODE`,
      [id],
    );
    const why = closedReason(target);
    if (why === undefined) return { found: 0, changed: 0 };
    const ended = await changeWaiting(tx, id, endOfWaiting(why), limit);
    // The bite may have ended the only due delivery; without another one, no round would end the rest if the next bite failed.
    if (ended.found === limit) await makeOldestDue(tx, id);
    return ended;
  };
  return changeInBites((limit) => store.transaction((tx) => end(tx, limit)), options);
}

/**
 * Makes dead deliveries, or only that of `instanceID`, wait again from their first attempt: at most `limit`, the oldest first. Returns their number.
 */
export async function redeliver(
  store: Store,
  id: string,
  instanceID: string | undefined,
  limit: number,
): Promise<number> {
  const { affectedRows } = await store.write(
    `UPDATE event_delivery SET status = 'waiting', attempts = 0, next_attempt_at = UTC_TIMESTAMP(3), settled_at = NULL
      WHERE subscription_id = ? AND status = 'dead' ${instanceID === undefined ? '' : 'AND instance_id = ?'}
      ORDER BY created_at, instance_id LIMIT ?`,
    [id, ...(instanceID === undefined ? [] : [instanceID]), limit],
  );
  return affectedRows;
}
