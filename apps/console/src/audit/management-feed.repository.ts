import { FEED_LAG_SECONDS } from '@batuta/audit';
import type { Store } from '@batuta/database';
import { countThatFit, EVENT_COLUMNS, firstIDOf, type ManagementEventRow } from './management-events.repository';

/**
 * Events of management after the event `after`, oldest first: those of a company, or of all companies when `companyID`
 * is null. Events of the last FEED_LAG_SECONDS are left out, because a transaction in progress may still add an event
 * with an earlier id, which a reader would miss.
 */
export async function readManagementFeed(
  store: Store,
  { companyID, after, limit }: { companyID: string | null; after: string; limit: number },
): Promise<{ rows: ManagementEventRow[]; more: boolean }> {
  const end = await store.row<{ time: Date }>('SELECT UTC_TIMESTAMP(3) - INTERVAL ? SECOND AS time', [
    FEED_LAG_SECONDS,
  ]);
  if (!end) throw new Error('The database returned no time');
  const [index, condition] = companyID === null ? ['PRIMARY', ''] : ['management_event_company', 'company_id = ? AND'];
  const found = await store.rows<ManagementEventRow>(
    `SELECT ${EVENT_COLUMNS}
       FROM (SELECT event_id FROM management_event FORCE INDEX (${index})
              WHERE ${condition} event_id > ? AND event_id < ? ORDER BY event_id LIMIT ?) page
       JOIN management_event m ON m.event_id = page.event_id
       LEFT JOIN account a ON a.account_id = m.account_id
       LEFT JOIN credential c ON c.credential_id = m.credential_id
      ORDER BY m.event_id`,
    [...(companyID === null ? [] : [companyID]), after, firstIDOf(end.time), limit + 1],
  );
  const rows = found.slice(0, Math.min(limit, countThatFit(found)));
  return { rows, more: rows.length < found.length };
}
