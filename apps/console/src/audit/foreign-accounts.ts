import type { AuditEvent } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/** Who reads events: an account of this company. `ownerID`: the owner of the process, for an account with a share; else undefined. */
export interface EventReader {
  companyID: string;
  ownerID?: string;
}

interface ForeignAccount {
  account_id: string;
  email: string;
  name: string;
}

/**
 * The events without the ids of accounts of other companies. Who owns the process sees such an account by its e-mail address, with which the
 * process is shared. An account with a share sees the name of the owner in place of the address (contract 2.3), and nothing of others.
 */
export async function withoutForeignAccounts<Event extends AuditEvent>(
  store: Store,
  events: Event[],
  { companyID, ownerID }: EventReader,
): Promise<Event[]> {
  const foreign = await findForeignAccounts(store, events, companyID);
  const ids = new Set(foreign.map(({ account_id: id }) => id));
  const shownNames = new Map(
    foreign.map(({ account_id: id, email, name }) => [email.toLowerCase(), id === ownerID ? name : '']),
  );
  return events.map((event) => {
    const { accountID, executor } = event;
    const name = ownerID === undefined ? undefined : shownNames.get(executor.toLowerCase());
    return {
      ...event,
      accountID: accountID !== null && ids.has(accountID) ? null : accountID,
      executor: name ?? executor,
    };
  });
}

/** The accounts outside of the company that the events name by id or e-mail address. */
async function findForeignAccounts(store: Store, events: AuditEvent[], companyID: string): Promise<ForeignAccount[]> {
  if (events.length === 0) return [];
  const ids = [...new Set(events.map(({ accountID }) => accountID))];
  const emails = [...new Set(events.map(({ executor }) => executor))];
  return store.rows<ForeignAccount>(
    `SELECT account_id, email, name FROM account WHERE account_id IN (?) AND NOT company_id <=> ?
     UNION SELECT account_id, email, name FROM account WHERE email IN (?) AND NOT company_id <=> ?`,
    [ids, companyID, emails, companyID],
  );
}
