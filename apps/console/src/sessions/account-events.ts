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
  actorID: string | null;
  /** null if the account that acted no longer exists. */
  actorRole: Role | null;
  at: Date;
}

/** The audit events of accounts, which are never changed. */
@Injectable()
export class AccountEvents {
  constructor(private readonly store: Store) {}

  async record({ accountID, actorID, action }: AccountEvent): Promise<void> {
    await this.store.write(
      'INSERT INTO account_event (account_id, actor_id, action, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))',
      [accountID, actorID, action],
    );
  }

  /** The events of an account, newest first. */
  list(accountID: string, limit: number): Promise<ListedAccountEvent[]> {
    return this.store.rows(
      `SELECT e.actor_id AS actorID, a.role AS actorRole, e.action, e.created_at AS at
         FROM account_event e LEFT JOIN account a ON a.account_id = e.actor_id
        WHERE e.account_id = ? ORDER BY e.event_id DESC LIMIT ?`,
      [accountID, limit],
    );
  }
}
