import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';

export const ACCOUNT_ACTIONS = ['password.changed', 'password.reset', 'email.changed'] as const;

export interface AccountEvent {
  /** The account that was changed. */
  accountID: string;
  /** The account that acted. */
  actorID: string;
  action: (typeof ACCOUNT_ACTIONS)[number];
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
  list(accountID: string, limit: number): Promise<(AccountEvent & { at: Date })[]> {
    return this.store.rows(
      `SELECT account_id AS accountID, actor_id AS actorID, action, created_at AS at
         FROM account_event WHERE account_id = ? ORDER BY event_id DESC LIMIT ?`,
      [accountID, limit],
    );
  }
}
