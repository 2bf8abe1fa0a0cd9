import type { Store } from '@batuta/database';
import type { InstanceRow } from './instance-row';
import { INSTANCE_COLUMNS } from './instance.repository';

/** All columns but the message of the error, which a history does not show. */
const HISTORY_COLUMNS = INSTANCE_COLUMNS.replace('error_message', 'NULL AS error_message');

/** The position of an instance in the history of its process. */
export interface HistoryPosition {
  instance_id: string;
  /** When the instance began or, if it never ran, was accepted. */
  history_at: Date;
}

/** Undefined for an instance that the history of the process does not have. */
export function historyPositionOf(
  store: Store,
  processID: string,
  instanceID: string,
): Promise<HistoryPosition | undefined> {
  return store.row<HistoryPosition>(
    'SELECT instance_id, history_at FROM instance WHERE instance_id = ? AND process_id = ? AND history_at IS NOT NULL',
    [instanceID, processID],
  );
}

/** Ended instances that began in [`from`, `until`), newest first, without debug runs; `last` = only those that come after it. */
export function pageOfHistory(
  store: Store,
  processID: string,
  { from, until, last, count }: { from: Date; until: Date; last?: HistoryPosition; count: number },
): Promise<InstanceRow[]> {
  // The first comparison lets the index bound the range; the row comparison alone would not.
  const earlier = last ? 'AND history_at <= ? AND (history_at, instance_id) < (?, ?)' : '';
  return store.rows<InstanceRow>(
    `SELECT ${HISTORY_COLUMNS} FROM instance FORCE INDEX (instance_history)
      WHERE process_id = ? AND history_at >= ? AND history_at < ? ${earlier} ORDER BY history_at DESC, instance_id DESC LIMIT ?`,
    [processID, from, until, ...(last ? [last.history_at, last.history_at, last.instance_id] : []), count],
  );
}
