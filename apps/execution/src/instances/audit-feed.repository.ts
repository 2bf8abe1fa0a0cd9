import { FEED_LAG_SECONDS } from '@batuta/audit';
import type { AuditFeedEvent } from '@batuta/contracts';
import { PAGE_BYTES, type Store } from '@batuta/database';
import { PAGE_OF_PROCESSES, PROCESS_PAGE_SIZE } from './company-processes';

interface EventSize {
  event_id: number;
  created_at: Date;
  bytes: number;
}

interface AuditFeedRow {
  event_id: number;
  process_id: string;
  company_id: string | null;
  created_at: Date;
  action: string;
  instance_id: string | null;
  executor: string;
  account_id: string | null;
  detail: string;
}

/** Events in the order of their numbers. `more` = further events follow them. */
interface Candidates {
  sizes: EventSize[];
  more: boolean;
}

/** Estimated bytes of an event besides its detail. */
const ROW_BYTES = 500;
/** Smallest limit of the events that are read of each process, unless the page has fewer. */
const MIN_EVENTS_PER_PROCESS = 10;
/** Maximum processes in one statement. Each process is a SELECT of its own, which reads no events beyond its limit. */
const PROCESSES_PER_STATEMENT = 50;

const SIZE_COLUMNS = `event_id, created_at, ${ROW_BYTES} + LENGTH(detail) AS bytes`;

/**
 * A page of the feed of audit events. The feed ends with its last event that is older than the lag: every transaction that was given a smaller event
 * number has ended by then, so no event appears later in front of the cursor. Without `companyID` it has the events of all companies. `more` is false
 * when no further event after these is old enough.
 */
export async function auditFeed(
  store: Store,
  { companyID, after, limit }: { companyID?: string; after: number; limit: number },
): Promise<{ events: AuditFeedEvent[]; more: boolean }> {
  // The time is read before the events, so that every event before this time is visible to the statements after it.
  const settledBefore = await feedEnd(store);
  const { sizes, more } = await (companyID === undefined
    ? candidates(store, after, limit)
    : candidatesOfCompany(store, companyID, after, limit));
  const settled = sizes.slice(0, sizes.findLastIndex((size) => size.created_at < settledBefore) + 1);
  const page = settled.slice(0, Math.min(limit, countThatFit(settled)));
  const isCut = page.length < settled.length || (more && settled.length === sizes.length);
  return { events: await readFeedEvents(store, page), more: isCut };
}

/** The time before which the feed is complete. */
async function feedEnd(store: Store): Promise<Date> {
  const row = await store.row<{ end: Date }>('SELECT UTC_TIMESTAMP(3) - INTERVAL ? SECOND AS end', [FEED_LAG_SECONDS]);
  if (!row) throw new Error('The database returned no time');
  return row.end;
}

async function candidates(store: Store, after: number, limit: number): Promise<Candidates> {
  const sizes = await store.rows<EventSize>(
    `SELECT ${SIZE_COLUMNS} FROM audit_event WHERE event_id > ? ORDER BY event_id LIMIT ?`,
    [after, limit + 1],
  );
  return { sizes, more: sizes.length > limit };
}

/**
 * There is no index by company, because every start and every end would have to write it. Instead the oldest new events
 * of each process of the company are read and merged. A process may have more events than were read; those come after
 * the last one that was read. Therefore the merged list ends where the first of these processes has its last read event.
 */
async function candidatesOfCompany(store: Store, companyID: string, after: number, limit: number): Promise<Candidates> {
  const processIDs = await processesWithNewEvents(store, companyID, after);
  const most = Math.min(
    limit + 1,
    Math.max(MIN_EVENTS_PER_PROCESS, Math.ceil((2 * (limit + 1)) / (processIDs.length || 1))),
  );
  const sizes: EventSize[] = [];
  let known = Number.MAX_SAFE_INTEGER;
  for (let first = 0; first < processIDs.length; first += PROCESSES_PER_STATEMENT) {
    const some = processIDs.slice(first, first + PROCESSES_PER_STATEMENT);
    const rows = await store.rows<EventSize & { process_id: string }>(
      some
        .map(
          () => `(SELECT process_id, ${SIZE_COLUMNS} FROM audit_event WHERE process_id = ? AND event_id > ?
                   ORDER BY event_id LIMIT ${most})`,
        )
        .join(' UNION ALL '),
      some.flatMap((processID) => [processID, after]),
    );
    for (const processID of some) {
      const ofProcess = rows.filter((row) => row.process_id === processID);
      if (ofProcess.length === most) known = Math.min(known, Math.max(...ofProcess.map((row) => row.event_id)));
    }
    sizes.push(...rows);
  }
  const complete = sizes.filter((size) => size.event_id <= known);
  return { sizes: complete.toSorted((a, b) => a.event_id - b.event_id), more: known < Number.MAX_SAFE_INTEGER };
}

/** The processes of the company whose newest event comes after `after`. */
async function processesWithNewEvents(store: Store, companyID: string, after: number): Promise<string[]> {
  const found: string[] = [];
  for (let last = '', isLast = false; !isLast;) {
    const page = await store.rows<{ process_id: string; newest: number | null }>(
      `SELECT page.process_id, (SELECT e.event_id FROM audit_event e WHERE e.process_id = page.process_id
                                 ORDER BY e.event_id DESC LIMIT 1) AS newest
         FROM (${PAGE_OF_PROCESSES}) page ORDER BY page.process_id`,
      [companyID, last, companyID, last],
    );
    found.push(...page.flatMap(({ process_id, newest }) => (newest !== null && newest > after ? [process_id] : [])));
    last = page.at(-1)?.process_id ?? last;
    isLast = page.length < PROCESS_PAGE_SIZE;
  }
  return found;
}

/** How many of the events fit into the bytes of a page; at least one. */
function countThatFit(sizes: EventSize[]): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size, index) => (bytes += size.bytes) > PAGE_BYTES && index > 0);
  return tooMany === -1 ? sizes.length : tooMany;
}

async function readFeedEvents(store: Store, page: EventSize[]): Promise<AuditFeedEvent[]> {
  if (page.length === 0) return [];
  const rows = await store.rows<AuditFeedRow>(
    `SELECT e.event_id, e.process_id, COALESCE(p.company_id, d.company_id) AS company_id, e.created_at, e.action,
            e.instance_id, e.executor, e.account_id, e.detail
       FROM audit_event e
       LEFT JOIN process p ON p.process_id = e.process_id
       LEFT JOIN deleted_process d ON d.process_id = e.process_id
      WHERE e.event_id IN (?) ORDER BY e.event_id`,
    [page.map((size) => size.event_id)],
  );
  return rows.map((row) => ({
    id: row.event_id,
    at: row.created_at.toISOString(),
    action: row.action,
    processID: row.process_id,
    companyID: row.company_id,
    instanceID: row.instance_id,
    executor: row.executor,
    accountID: row.account_id,
    detail: JSON.parse(row.detail),
  }));
}
