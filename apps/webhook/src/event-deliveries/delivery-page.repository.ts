import { DELIVERY_STATUSES, type DeliveryStatus, type EventDeliveryPage, type EventName } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

interface DeliveryRow {
  instance_id: string;
  process_id: string;
  event: EventName;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  created_at: Date;
  settled_at: Date | null;
}

/** `<time>_<instance id>` of the last delivery of the page before. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/;
const MAX_PAGE_SIZE = 500;

interface PageRequest {
  id: string;
  status?: DeliveryStatus;
  before?: string;
  limit: number;
}

/**
 * Deliveries of a subscription, newest first; a `limit` outside of 1 to MAX_PAGE_SIZE is clamped. Throws BAD_REQUEST for a `before` that does not
 * have the form of a cursor.
 */
export async function findDeliveryPage(
  store: Store,
  { id, status, before, limit }: PageRequest,
): Promise<EventDeliveryPage> {
  const rows = Math.max(1, Math.min(limit, MAX_PAGE_SIZE));
  const after = before === undefined ? undefined : readCursor(before);
  // The index has the status before the time, so each status is read by a SELECT of its own, and the union is sorted.
  const statuses = status === undefined ? DELIVERY_STATUSES : [status];
  const ofStatus = `(SELECT instance_id, process_id, event, status, attempts, next_attempt_at, last_status, last_error, created_at,
      settled_at FROM event_delivery FORCE INDEX (event_delivery_status)
     WHERE subscription_id = ? AND status = ?
       ${after ? 'AND created_at <= ? AND (created_at < ? OR instance_id < ?)' : ''}
     ORDER BY created_at DESC, instance_id DESC LIMIT ?)`;
  const found = await store.rows<DeliveryRow>(
    `${statuses.map(() => ofStatus).join(' UNION ALL ')} ORDER BY created_at DESC, instance_id DESC LIMIT ?`,
    [
      ...statuses.flatMap((one) => [id, one, ...(after ? [after.time, after.time, after.instanceID] : []), rows + 1]),
      rows + 1,
    ],
  );
  const page = found.slice(0, rows);
  const last = page.at(-1);
  const next = found.length > rows && last ? `${last.created_at.toISOString()}_${last.instance_id}` : undefined;
  return { deliveries: page.map(toDelivery), ...(next !== undefined && { next }) };
}

function readCursor(text: string): { time: Date; instanceID: string } {
  const [, time, instanceID] = CURSOR.exec(text) ?? [];
  if (time === undefined || instanceID === undefined || Number.isNaN(Date.parse(time))) {
    throw new ApiError('BAD_REQUEST', 'before: must be the cursor of an earlier page');
  }
  return { time: new Date(time), instanceID };
}

function toDelivery(row: DeliveryRow): EventDeliveryPage['deliveries'][number] {
  return {
    instanceID: row.instance_id,
    processID: row.process_id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    settledAt: row.settled_at?.toISOString() ?? null,
  };
}
