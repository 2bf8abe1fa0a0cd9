import type { Store } from '@batuta/database';

export interface AuditRow {
  created_at: Date;
  action: string;
  instance_id: string | null;
  executor: string;
  account_id: string | null;
  detail: string;
}

const COLUMNS = 'event_id, created_at, action, instance_id, executor, account_id, detail';
/** Events that are searched for those of one account: no index leads to them, and a process may have millions. */
const SEARCHED_EVENTS = 10_000;

/**
 * The newest events of a process, newest first. `startedBy` = only the actions of this account and the events of instances that
 * it started (interpretation 51), among the newest 10,000 events.
 */
export function newestAuditEvents(
  store: Store,
  processID: string,
  limit: number,
  startedBy?: string,
): Promise<AuditRow[]> {
  const newest = `SELECT ${COLUMNS} FROM audit_event WHERE process_id = ? ORDER BY event_id DESC LIMIT ?`;
  if (startedBy === undefined) return store.rows<AuditRow>(newest, [processID, limit]);
  return store.rows<AuditRow>(
    `SELECT e.* FROM (${newest}) e LEFT JOIN instance i ON i.instance_id = e.instance_id
      WHERE e.account_id = ? OR i.starter_account_id = ? ORDER BY e.event_id DESC LIMIT ?`,
    [processID, SEARCHED_EVENTS, startedBy, startedBy, limit],
  );
}
