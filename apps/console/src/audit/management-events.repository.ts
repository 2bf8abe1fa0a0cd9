import type { ManagementAction } from '@batuta/audit';
import { readEmail } from '@batuta/auth';
import { PAGE_BYTES, type Store } from '@batuta/database';
import type { Role } from '../registry';

export interface ManagementEventFilter {
  limit: number;
  /** Only events older than the one with this id. */
  before?: string;
  /** Times in ISO 8601: `from` is inclusive, `to` exclusive. */
  from?: string;
  to?: string;
  /** The id of the account that acted. */
  person?: string;
  action?: ManagementAction[];
  /** The id of an object, or of the process that it belongs to; of a vault secret its key, of a share the e-mail address. */
  object?: string;
}

/** A management event with the person and the credential that acted. */
export interface ManagementEventRow {
  event_id: string;
  company_id: string | null;
  process_id: string | null;
  account_id: string | null;
  credential_id: string | null;
  /** The IP address of the call; null when it is not known. */
  address: string | null;
  request_id: string | null;
  action: ManagementAction;
  object_id: string;
  /** A JSON object. */
  detail: string;
  created_at: Date;
  /** Name, e-mail address, role and company that the account has now; null for an event without an account. */
  name: string | null;
  email: string | null;
  role: Role | null;
  account_company_id: string | null;
  /** null without a credential, and once the credential was deleted. */
  label: string | null;
}

/** Columns of an event `m`, its account `a` and its credential `c`. */
export const EVENT_COLUMNS = `m.event_id, m.company_id, m.process_id, m.account_id, m.credential_id, m.address, m.request_id,
            m.action, m.object_id, m.detail, m.created_at, a.name, a.email, a.role, a.company_id AS account_company_id, c.label`;

/**
 * Maximum number of events that a page with filters searches. It bounds the search because no index contains the
 * person, the action or the object.
 */
const MAX_SEARCHED_EVENTS = 5_000;
/** Estimated bytes of an event in an answer besides its detail and its object. */
const ROW_BYTES = 600;
const ID_PATTERN = /^[0-9a-f-]{36}$/;
/** Texts before and after every id of an event, which consists of hexadecimal digits and dashes. */
export const MIN_EVENT_ID = '';
const MAX_EVENT_ID = 'g';

/**
 * A page of a company's events, newest first. `before` of the result is the cursor of the next page, absent on the last one; a page with
 * filters has it also when none of the searched events matched and older events exist.
 */
export async function newestEvents(
  store: Store,
  companyID: string,
  filter: ManagementEventFilter,
): Promise<{ rows: ManagementEventRow[]; before?: string }> {
  const searched = searchedEvents(companyID, filter);
  const [conditions, parameters] = conditionsOf(filter);
  const isFiltered = conditions !== '';
  const most = isFiltered ? MAX_SEARCHED_EVENTS : filter.limit + 1;
  const found = await store.rows<ManagementEventRow>(
    `SELECT ${EVENT_COLUMNS}
       FROM (SELECT event_id FROM (${searched.sql} LIMIT ${most}) searched
              ${conditions} ORDER BY event_id DESC LIMIT ?) page
       JOIN management_event m ON m.event_id = page.event_id
       LEFT JOIN account a ON a.account_id = m.account_id
       LEFT JOIN credential c ON c.credential_id = m.credential_id
      ORDER BY m.event_id DESC`,
    [...searched.parameters, ...parameters, filter.limit + 1],
  );
  const rows = found.slice(0, Math.min(filter.limit, countThatFit(found)));
  const last = rows.at(-1);
  if (rows.length < found.length && last) return { rows, before: last.event_id };
  if (!isFiltered) return { rows };
  const oldest = await store.row<{ event_id: string }>(
    `${searched.sql} LIMIT 1 OFFSET ${MAX_SEARCHED_EVENTS - 1}`,
    searched.parameters,
  );
  return { rows, ...(oldest && { before: oldest.event_id }) };
}

/** The events of the company in the period, newest first. Ids are UUIDv7, whose first 48 bits are milliseconds. */
function searchedEvents(companyID: string, { before = MAX_EVENT_ID, from, to }: ManagementEventFilter) {
  const first = from === undefined ? MIN_EVENT_ID : firstIDOf(from);
  const next = to === undefined ? before : [before, firstIDOf(to)].toSorted()[0];
  return {
    sql: `SELECT event_id, process_id, account_id, action, object_id
            FROM management_event FORCE INDEX (management_event_company)
           WHERE company_id = ? AND event_id >= ? AND event_id < ? ORDER BY event_id DESC`,
    parameters: [companyID, first, next],
  };
}

/** The beginning of an id, to compare with: ids of events at or after `time` are greater, ids of events before it are smaller. */
export function firstIDOf(time: string | Date): string {
  const hexadecimal = Math.max(0, new Date(time).getTime()).toString(16).padStart(12, '0');
  return `${hexadecimal.slice(0, 8)}-${hexadecimal.slice(8, 12)}-`;
}

function conditionsOf({ person, action, object }: ManagementEventFilter): [sql: string, parameters: unknown[]] {
  const conditions: [string, unknown[]][] = [];
  if (person !== undefined) conditions.push(['account_id = ?', [person]]);
  if (action !== undefined) conditions.push(['action IN (?)', [action]]);
  if (object !== undefined) {
    // A text that is no id is not compared with `process_id`, because that column accepts ASCII texts only.
    const isID = ID_PATTERN.test(object);
    // An e-mail address is stored in its one form, whichever spelling the reader knows; no other object has an @.
    const otherwise = readEmail(object) ?? object;
    conditions.push(isID ? ['(object_id = ? OR process_id = ?)', [object, object]] : ['object_id = ?', [otherwise]]);
  }
  if (conditions.length === 0) return ['', []];
  const sql = conditions.map(([condition]) => condition).join(' AND ');
  return [`WHERE ${sql}`, conditions.flatMap(([, parameters]) => parameters)];
}

/** How many of the rows, at least one, fit into the maximum bytes of a page. */
export function countThatFit(rows: ManagementEventRow[]): number {
  let bytes = 0;
  const tooMany = rows.findIndex((row, index) => {
    bytes += ROW_BYTES + Buffer.byteLength(row.detail) + Buffer.byteLength(row.object_id);
    return index > 0 && bytes > PAGE_BYTES;
  });
  return tooMany === -1 ? rows.length : tooMany;
}
