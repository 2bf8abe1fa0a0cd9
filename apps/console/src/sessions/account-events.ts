import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import type { Role } from '../registry';

export const ACCOUNT_ACTIONS = ['password.changed', 'password.reset', 'email.changed'] as const;

export interface AccountEvent {
  /** The account that was changed. */
  accountID: string;
  /** The account that acted. */
  actorID: string;
  action: (typeof ACCOUNT_ACTIONS)[number];
}

export interface ListedAccountEvent extends Pick<AccountEvent, 'action'> {
  /** The account that acted; null where the reader must not see which operator acted. */
  actorID: string | null;
  actorRole: Role;
  at: Date;
}

/** Number of events that an account keeps. A list shows at most 500, and the audit trail of the company has the same events. */
const MAX_EVENTS = 1_000;
/** Maximum number of events that one call deletes: an earlier release kept all of them. */
const MAX_DELETED_EVENTS = 1_000;

/** The audit events of accounts, of which each account keeps the newest. In a transaction: `new AccountEvents(tx)`. */
@Injectable()
export class AccountEvents {
  constructor(private readonly store: Store) {}

  /** Records an event, and deletes the oldest ones of the account beyond the limit. */
  async record({ accountID, actorID, action }: AccountEvent): Promise<void> {
    await this.store.write(
      'INSERT INTO account_event (account_id, actor_id, action, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))',
      [accountID, actorID, action],
    );
    const oldest = await this.store.rows<{ event_id: number }>(
      'SELECT event_id FROM account_event WHERE account_id = ? ORDER BY event_id DESC LIMIT ? OFFSET ?',
      [accountID, MAX_DELETED_EVENTS, MAX_EVENTS],
    );
    if (oldest.length === 0) return;
    await this.store.write('DELETE FROM account_event WHERE event_id IN (?)', [oldest.map(({ event_id }) => event_id)]);
  }

  /** The events of an account, newest first. */
  list(accountID: string, limit: number): Promise<ListedAccountEvent[]> {
    return this.store.rows(
      `SELECT e.actor_id AS actorID, a.role AS actorRole, e.action, e.created_at AS at
         FROM account_event e JOIN account a ON a.account_id = e.actor_id
        WHERE e.account_id = ? ORDER BY e.event_id DESC LIMIT ?`,
      [accountID, limit],
    );
  }
}
