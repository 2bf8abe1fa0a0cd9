import { inBites, type BiteOptions, type Store } from '@batuta/database';
import { firstIDOf } from './management-events.repository';

/** Number of companies that one query reads. */
const PAGE_SIZE = 500;
/**
 * How far back a sweep looks for deletions of processes by a console of the previous release. It is less than the time for which execution
 * keeps a record of `deleted_process` that no audit event needs, so that a sweep does not insert such a record again.
 */
const RECENT_HOURS = 1;

interface CompanyLimit {
  company_id: string;
  /** Events before this time are deleted. */
  until: Date;
}

/**
 * Deletes the events of management that are older than the `audit_days` of their company's plan, and returns their number. Events without a
 * company, such as changes of plans and logins of operators, stay.
 */
export async function deleteManagementEvents(store: Store, options: BiteOptions = {}): Promise<number> {
  let rows = 0;
  for (let page = await companiesAfter(store, ''); page.length > 0;) {
    for (const { company_id, until } of page) {
      const bite = (limit: number) => deleteOldest(store, company_id, firstIDOf(until), limit);
      rows += await inBites(bite, options);
    }
    page = await companiesAfter(store, page.at(-1)?.company_id ?? '');
  }
  return rows;
}

function companiesAfter(store: Store, companyID: string): Promise<CompanyLimit[]> {
  return store.rows<CompanyLimit>(
    `SELECT c.company_id, UTC_TIMESTAMP(3) - INTERVAL p.audit_days DAY AS until
       FROM company c STRAIGHT_JOIN plan p ON p.plan_id = c.plan_id
      WHERE c.company_id > ? AND p.audit_days IS NOT NULL ORDER BY c.company_id LIMIT ?`,
    [companyID, PAGE_SIZE],
  );
}

async function deleteOldest(store: Store, companyID: string, beforeID: string, limit: number): Promise<number> {
  const oldest = await store.rows<{ event_id: string }>(
    `SELECT event_id FROM management_event FORCE INDEX (management_event_company)
      WHERE company_id = ? AND event_id < ? ORDER BY event_id LIMIT ?`,
    [companyID, beforeID, limit],
  );
  const ids = oldest.map((row) => row.event_id);
  if (ids.length > 0) await store.write('DELETE FROM management_event WHERE event_id IN (?)', [ids]);
  return ids.length;
}

/**
 * Adds to `deleted_process` the processes that a console of the previous release deleted, because that release does not
 * write the table.
 */
export async function recordDeletedProcesses(store: Store): Promise<void> {
  await store.write(
    `INSERT IGNORE INTO deleted_process (process_id, company_id, deleted_at)
       SELECT object_id, company_id, created_at FROM management_event
        WHERE event_id > ? AND action = 'process.delete' AND company_id IS NOT NULL`,
    [firstIDOf(new Date(Date.now() - RECENT_HOURS * 3_600_000))],
  );
}
