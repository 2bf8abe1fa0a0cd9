import { FEED_LAG_SECONDS } from '@batuta/audit';
import { inBites, type Store } from '@batuta/database';

/** Adds the rows of the events after one number, up to another. */
const ADD_ROWS = `INSERT IGNORE INTO share_event (process_id, account_id, event_id)
   SELECT e.process_id, i.starter_account_id, e.event_id
     FROM audit_event e STRAIGHT_JOIN instance i ON i.instance_id = e.instance_id
    WHERE e.event_id > ? AND e.event_id <= ? AND i.starter_account_id <> i.owner_account_id`;

/**
 * Adds the rows of `share_event` that the previous release does not write, up to the events that are old enough that no event with a
 * smaller number can follow. The cursor is in the database, so that each event is checked once, also after a downgrade.
 */
export async function addMissedShareEvents(store: Store, isStopping?: () => boolean): Promise<void> {
  await inBites((limit) => store.transaction((tx) => addBite(tx, limit)), { isStopping });
}

async function addBite(tx: Store, limit: number): Promise<number> {
  const cursor = await tx.row<{ event_id: number }>(
    'SELECT event_id FROM share_event_cursor WHERE cursor_id = 1 FOR UPDATE',
  );
  const after = cursor?.event_id ?? 0;
  const page = await tx.rows<{ event_id: number; settled: number }>(
    `SELECT event_id, created_at < UTC_TIMESTAMP(3) - INTERVAL ? SECOND AS settled FROM audit_event
      WHERE event_id > ? ORDER BY event_id LIMIT ?`,
    [FEED_LAG_SECONDS, after, limit],
  );
  const checked = page.slice(0, page.findLastIndex(({ settled }) => settled === 1) + 1);
  const last = checked.at(-1);
  if (!last) return 0;
  tx.atCommit(ADD_ROWS, [after, last.event_id]);
  tx.atCommit(
    `INSERT INTO share_event_cursor (cursor_id, event_id) VALUES (1, ?)
       ON DUPLICATE KEY UPDATE event_id = GREATEST(event_id, VALUES(event_id))`,
    [last.event_id],
  );
  return checked.length;
}
