import type { AuditEvent } from '@batuta/contracts';
import { PAGE_BYTES, pageBySize, type Store } from '@batuta/database';

interface AuditRow {
  created_at: Date;
  action: string;
  instance_id: string | null;
  executor: string;
  account_id: string | null;
  detail: string;
}

/** For the columns of an event other than its detail. */
const ROW_BYTES = 500;
/** Above every event id. */
const NO_EVENT = Number.MAX_SAFE_INTEGER;

/** The ids of the newest events of a process before `before` that fit into a page. */
export async function newestEventIDs(
  store: Store,
  processID: string,
  { limit, before = NO_EVENT }: { limit: number; before?: number },
): Promise<{ ids: number[]; more: boolean }> {
  const { rows, more } = await pageBySize<{ event_id: number; bytes: number }>(
    (last, count) =>
      store.rows(
        `SELECT event_id, ${ROW_BYTES} + LENGTH(detail) AS bytes FROM audit_event
          WHERE process_id = ? AND event_id < ? ORDER BY event_id DESC LIMIT ?`,
        [processID, last?.event_id ?? before, count],
      ),
    { rows: limit, bytes: PAGE_BYTES },
  );
  return { ids: rows.map((row) => row.event_id), more };
}

/** Newest first. */
export async function readEvents(store: Store, ids: number[]): Promise<AuditEvent[]> {
  if (ids.length === 0) return [];
  const rows = await store.rows<AuditRow>(
    `SELECT created_at, action, instance_id, executor, account_id, detail FROM audit_event
      WHERE event_id IN (?) ORDER BY event_id DESC`,
    [ids],
  );
  return rows.map((row) => ({
    at: row.created_at.toISOString(),
    action: row.action,
    instanceID: row.instance_id,
    executor: row.executor,
    accountID: row.account_id,
    detail: JSON.parse(row.detail),
  }));
}
