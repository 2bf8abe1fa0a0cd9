import { execution, storedExecutor, type AuditEvent, type RequestsOf } from '@batuta/contracts';
import { PAGE_BYTES, pageBySize, type Store } from '@batuta/database';
import { CANCELLED_QUEUE_EXECUTOR } from './instance-end';

interface AuditRow {
  created_at: Date;
  action: string;
  instance_id: string | null;
  executor: string;
  account_id: string | null;
  detail: string;
  /** The executor of the start; null for an event of no instance, and once retention has deleted the instance. */
  starter: string | null;
  owner_name: string;
}

/** Estimated bytes of an event besides its detail. */
const ROW_BYTES = 500;
/** An id greater than every event id. */
const MAX_EVENT_ID = Number.MAX_SAFE_INTEGER;

interface EventSize {
  event_id: number;
  bytes: number;
}

/**
 * The ids of the newest events of a process before `before` that fit into a page. With `startedBy`, only the actions of that account and the
 * events of instances that it started (interpretation 51). Do not pass the owner: `share_event` has no rows of the owner.
 */
export async function newestEventIDs(
  store: Store,
  processID: string,
  { limit, before = MAX_EVENT_ID, startedBy }: { limit: number; before?: number; startedBy?: string },
): Promise<{ ids: number[]; more: boolean }> {
  const olderSizes =
    startedBy === undefined ? eventSizes : (...page: EventPageArguments) => eventSizesOfStarter(startedBy, ...page);
  const { rows, more } = await pageBySize<EventSize>(
    (last, count) => olderSizes(store, processID, last?.event_id ?? before, count),
    { rows: limit, bytes: PAGE_BYTES },
  );
  return { ids: rows.map((row) => row.event_id), more };
}

type EventPageArguments = [store: Store, processID: string, before: number, count: number];

function eventSizes(...[store, processID, before, count]: EventPageArguments): Promise<EventSize[]> {
  return store.rows<EventSize>(
    `SELECT event_id, ${ROW_BYTES} + LENGTH(detail) AS bytes FROM audit_event
      WHERE process_id = ? AND event_id < ? ORDER BY event_id DESC LIMIT ?`,
    [processID, before, count],
  );
}

function eventSizesOfStarter(
  startedBy: string,
  ...[store, processID, before, count]: EventPageArguments
): Promise<EventSize[]> {
  return store.rows<EventSize>(
    `SELECT s.event_id, ${ROW_BYTES} + LENGTH(e.detail) AS bytes
       FROM share_event s FORCE INDEX (PRIMARY) STRAIGHT_JOIN audit_event e ON e.event_id = s.event_id
      WHERE s.process_id = ? AND s.account_id = ? AND s.event_id < ? ORDER BY s.event_id DESC LIMIT ?`,
    [processID, startedBy, before, count],
  );
}

/**
 * Reads the events with these ids, newest first. `startedBy` as in `newestEventIDs`: of the owner, such an account sees the name only, and not
 * the e-mail address or the label of a credential with which the owner acted (contract 2.3).
 */
export async function readEvents(store: Store, ids: number[], startedBy?: string): Promise<AuditEvent[]> {
  if (ids.length === 0) return [];
  const rows = await store.rows<AuditRow>(
    `SELECT e.created_at, e.action, e.instance_id, e.executor, e.account_id, e.detail,
            i.executor AS starter, COALESCE(o.name, '') AS owner_name
       FROM audit_event e LEFT JOIN instance i ON i.instance_id = e.instance_id
       LEFT JOIN process p ON p.process_id = e.process_id LEFT JOIN account o ON o.account_id = p.account_id
      WHERE e.event_id IN (?) ORDER BY e.event_id DESC`,
    [ids],
  );
  return rows.map((row) => ({
    at: row.created_at.toISOString(),
    action: row.action,
    instanceID: row.instance_id,
    ...(startedBy === undefined ? actorOf(row) : actorForShare(row, startedBy)),
    detail: JSON.parse(row.detail),
  }));
}

function actorOf({ executor, account_id: accountID }: AuditRow): Pick<AuditEvent, 'executor' | 'accountID'> {
  return { executor, accountID };
}

function actorForShare(row: AuditRow, startedBy: string): Pick<AuditEvent, 'executor' | 'accountID'> {
  if (row.account_id === startedBy) return actorOf(row);
  if (row.account_id !== null) return { executor: row.owner_name, accountID: null };
  // An end has no account. Its executor is that of the start, a cancelled queue, or somebody who stopped the instance in the queue, whom the
  // preceding event names. Once retention has deleted the instance, nobody knows whether the executor is that of the start.
  const isShown = row.executor === row.starter || row.executor === CANCELLED_QUEUE_EXECUTOR;
  return { executor: isShown ? row.executor : '', accountID: null };
}

/** Writes an event that belongs to the process and to no instance. A share does not show it, because only the owner causes such events. */
export async function recordAudit(
  store: Store,
  { processID, accountID, action, executor, detail }: RequestsOf<typeof execution>['recordAudit'],
): Promise<void> {
  await store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       VALUES (?, NULL, ?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [processID, accountID, action, storedExecutor(executor), JSON.stringify(detail)],
  );
}
