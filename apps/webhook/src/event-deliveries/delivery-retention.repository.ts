import { deleteInBites, type BiteOptions, type Store } from '@batuta/database';
import { findDeliveryTargets, endOfWaiting, endWaiting } from './delivery.repository';
import { changeAllWaiting } from './waiting-deliveries.repository';
import { closedReason } from './closed-reason';

/** Days for which final deliveries are kept, by their status. */
const DELIVERED_DAYS = 7;
const DEAD_DAYS = 30;
const DELIVERIES_PER_PAGE = 500;
/** A position before the first delivery. */
const FIRST_KEY = { subscriptionID: '', instanceID: '' };

/** The id of the first subscription after `after` that has deliveries, also if it was removed; undefined after the last one. */
export async function findNextSubscription(store: Store, after: string): Promise<string | undefined> {
  const row = await store.row<{ id: string | null }>(
    'SELECT MIN(subscription_id) AS id FROM event_delivery WHERE subscription_id > ?',
    [after],
  );
  return row?.id ?? undefined;
}

/**
 * Deletes the deliveries of a subscription whose retention is over, and all of them when it was removed. The retention begins when a delivery
 * becomes final; the condition also has the time of creation, which is earlier, because an index leads to it. Returns the number of deliveries.
 */
export async function deleteOldDeliveries(store: Store, id: string, options: BiteOptions): Promise<number> {
  const found = await store.row('SELECT 1 AS found FROM event_subscription WHERE subscription_id = ?', [id]);
  if (!found)
    return deleteInBites(store, 'DELETE FROM event_delivery WHERE subscription_id = ? LIMIT ?', [id], options);
  const isPast = (column: string) => `${column} < UTC_TIMESTAMP(3) - INTERVAL ? DAY`;
  const sql = `DELETE FROM event_delivery
    WHERE subscription_id = ? AND status = ? AND ${isPast('created_at')} AND ${isPast('settled_at')} LIMIT ?`;
  const remove = (status: string, days: number) => deleteInBites(store, sql, [id, status, days, days], options);
  return (await remove('delivered', DELIVERED_DAYS)) + (await remove('dead', DEAD_DAYS));
}

/**
 * Gives up the oldest waiting deliveries above `limit`, and all of them when the subscription is closed: the replica that switched it off may
 * have died before it ended them. Returns their number. `deleteOldDeliveries` deletes those of a removed subscription.
 */
export async function endExcessWaiting(store: Store, id: string, limit: number, options: BiteOptions): Promise<number> {
  const target = (await findDeliveryTargets(store, [id])).get(id);
  if (!target) return 0;
  if (closedReason(target) === undefined) return cutBacklog(store, id, limit, options);
  const { changed } = await endWaiting(store, id, options);
  return changed;
}

async function cutBacklog(store: Store, id: string, limit: number, options: BiteOptions): Promise<number> {
  const newestToCut = await store.row<{ created_at: Date; instance_id: string }>(
    `SELECT created_at, instance_id FROM event_delivery WHERE subscription_id = ? AND status = 'waiting'
      ORDER BY created_at DESC, instance_id DESC LIMIT 1 OFFSET ?`,
    [id, limit],
  );
  if (!newestToCut) return 0;
  const { created_at: createdAt, instance_id: instanceID } = newestToCut;
  const isCut = 'created_at <= ? AND (created_at < ? OR instance_id <= ?)';
  const end = endOfWaiting('too many deliveries of the subscription were waiting');
  return changeAllWaiting(store, id, { ...end, where: [isCut, createdAt, createdAt, instanceID] }, options);
}

/**
 * Deletes the deliveries of deleted processes, because the payload of a delivery contains the process. No index leads to
 * them, so each sweep reads one page of all deliveries, and the next sweep continues after it.
 */
export class OrphanedDeliverySweep {
  private position = FIRST_KEY;

  constructor(private readonly store: Store) {}

  /** Returns the number of rows that it deleted. */
  async sweep(): Promise<number> {
    const { subscriptionID, instanceID } = this.position;
    const page = await this.store.rows<{ subscription_id: string; instance_id: string; orphaned: number }>(
      `SELECT d.subscription_id, d.instance_id, p.process_id IS NULL AS orphaned FROM event_delivery d
         LEFT JOIN process p ON p.process_id = d.process_id
        WHERE d.subscription_id > ? OR (d.subscription_id = ? AND d.instance_id > ?)
        ORDER BY d.subscription_id, d.instance_id LIMIT ${DELIVERIES_PER_PAGE}`,
      [subscriptionID, subscriptionID, instanceID],
    );
    const last = page.at(-1);
    this.position =
      page.length < DELIVERIES_PER_PAGE || !last
        ? FIRST_KEY
        : { subscriptionID: last.subscription_id, instanceID: last.instance_id };
    const orphans = page.filter(({ orphaned }) => orphaned === 1);
    for (const { subscription_id, instance_id } of orphans) {
      await this.store.write('DELETE FROM event_delivery WHERE subscription_id = ? AND instance_id = ?', [
        subscription_id,
        instance_id,
      ]);
    }
    return orphans.length;
  }
}
