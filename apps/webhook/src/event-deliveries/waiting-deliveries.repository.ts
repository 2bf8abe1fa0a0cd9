import { inBites, type BiteOptions, type Store } from '@batuta/database';

/** SQL with the values of its placeholders. */
type Sql = [text: string, ...values: unknown[]];

/** A change of waiting deliveries, as parts of an UPDATE. */
export interface WaitingChange {
  set: Sql;
  /** A condition besides the status. */
  where?: Sql;
  isOldestFirst?: boolean;
}

/** How many deliveries a change found, and how many of these it changed: not those that somebody else changed in between. */
export interface ChangeCounts {
  found: number;
  changed: number;
}

/**
 * Changes up to `limit` waiting deliveries of a subscription. It locks them by their primary key, as attempts do; an UPDATE that finds them by
 * another index locks the entry of that index first, which an attempt changes last, so that the two deadlock.
 */
export async function changeWaiting(
  store: Store,
  id: string,
  { set, where = ['TRUE'], isOldestFirst = false }: WaitingChange,
  limit: number,
): Promise<ChangeCounts> {
  const [assignments, ...values] = set;
  const [condition, ...bounds] = where;
  const rows = await store.rows<{ instance_id: string }>(
    `SELECT instance_id FROM event_delivery WHERE subscription_id = ? AND status = 'waiting' AND ${condition}
      ${isOldestFirst ? 'ORDER BY created_at, instance_id' : ''} LIMIT ?`,
    [id, ...bounds, limit],
  );
  if (rows.length === 0) return { found: 0, changed: 0 };
  const ids = rows.map((row) => row.instance_id);
  const { affectedRows } = await store.write(
    `UPDATE event_delivery FORCE INDEX (PRIMARY) SET ${assignments}
      WHERE subscription_id = ? AND instance_id IN (?) AND status = 'waiting' AND ${condition}`,
    [...values, id, ids, ...bounds],
  );
  return { found: rows.length, changed: affectedRows };
}

/** Changes, in bites, all waiting deliveries of a subscription that fulfil the condition of the change; returns how many it changed. */
export async function changeAllWaiting(
  store: Store,
  id: string,
  change: WaitingChange,
  options: BiteOptions,
): Promise<number> {
  const { changed } = await changeInBites((limit) => changeWaiting(store, id, change, limit), options);
  return changed;
}

/** Runs a change in bites; returns the numbers of all bites together. */
export async function changeInBites(
  bite: (limit: number) => Promise<ChangeCounts>,
  options: BiteOptions,
): Promise<ChangeCounts> {
  let total = 0;
  const all = await inBites(async (limit) => {
    const { found, changed } = await bite(limit);
    total += changed;
    return found;
  }, options);
  return { found: all, changed: total };
}
