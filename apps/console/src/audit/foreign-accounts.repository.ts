import type { AuditEvent } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/** The events without the ids of accounts of other companies, which the company sees by their e-mail address only. */
export async function withoutForeignAccounts<Event extends AuditEvent>(
  store: Store,
  events: Event[],
  companyID: string,
): Promise<Event[]> {
  const accountIDs = [...new Set(events.flatMap(({ accountID }) => accountID ?? []))];
  if (accountIDs.length === 0) return events;
  const rows = await store.rows<{ account_id: string }>(
    'SELECT account_id FROM account WHERE account_id IN (?) AND NOT company_id <=> ?',
    [accountIDs, companyID],
  );
  const foreign = new Set<string | null>(rows.map(({ account_id: id }) => id));
  return events.map((event) => (foreign.has(event.accountID) ? { ...event, accountID: null } : event));
}
