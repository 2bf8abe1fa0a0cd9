import { recordAction } from '@batuta/audit';
import { requireRoom } from '@batuta/catalog';
import { isDuplicate, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Account, Company } from '../registry';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import { notFound } from '../http/not-found';
import { AccountEvents, type ListedAccountEvent } from '../sessions/account-events';
import type { CompanyCaller, SessionCaller } from '../sessions/caller';
import { deleteRedundantInvitations } from '../access/invitations';
import { lockCaller } from '../sessions/lock-caller';
import { PasswordHasher } from '../sessions/password-hasher';
import type { AccountInput, EmailProblem } from './account.dto';

/** The accounts of companies. Each change also throws what `lockCaller` throws. */
@Injectable()
export class AccountService {
  constructor(
    private readonly store: Store,
    private readonly passwords: PasswordHasher,
    private readonly audit: AccountEvents,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * Adds an account to a company. Throws NOT_FOUND, QUOTA_EXCEEDED, RATE_LIMITED, and CONFLICT when an account, also of another company, has the
   * address.
   */
  async add(
    operator: SessionCaller,
    companyID: string,
    { email, name, password, role }: AccountInput,
  ): Promise<Account> {
    await this.requireCompany(companyID);
    const passwordHash = await this.passwords.hash(password, `company ${companyID}`);
    const account = { id: uuid(), companyID, email, name, role, passwordHash, blocked: false, createdAt: new Date() };
    await this.store.transaction(async (tx) => {
      await requireRoom(tx, companyID, 'accounts', this.config.QUOTA_ACCOUNTS);
      await lockCaller(tx, operator);
      await tx.repository(Account).insert(account).catch(refuseDuplicate);
      recordAction(tx, { action: 'account.add', objectID: account.id, companyID, detail: { email, role } });
    });
    return account;
  }

  /** Throws NOT_FOUND for a company that does not exist; a suspended one passes. */
  async requireCompany(id: string): Promise<void> {
    const exists = await this.store.repository(Company).existsBy({ id });
    if (!exists) throw notFound('company');
  }

  /** The accounts of a company, blocked ones too, newest first. */
  list(companyID: string, page: PageQuery): Promise<Account[]> {
    const { earlier, ...rest } = newestFirst(page);
    return this.store.repository(Account).find({ where: { companyID, ...earlier }, ...rest });
  }

  /**
   * Blocks or unblocks an account of the caller's company. The change takes effect at once, because every call reads the account. Throws
   * NOT_FOUND, and CONFLICT when the caller blocks its own account.
   */
  async setBlocked(caller: CompanyCaller, id: string, blocked: boolean): Promise<Account> {
    const { accountID, companyID } = caller;
    if (blocked && id === accountID) throw new ApiError('CONFLICT', 'blocked: an administrator cannot block itself');
    return this.store.transaction(async (tx) => {
      await lockCaller(tx, caller);
      const accounts = tx.repository(Account);
      await accounts.update({ id, companyID }, { blocked });
      const account = await accounts.findOneBy({ id, companyID });
      if (!account) throw notFound('account');
      const action = blocked ? 'account.block' : 'account.unblock';
      recordAction(tx, { action, objectID: id, companyID, detail: { email: account.email } });
      return account;
    });
  }

  /**
   * The accounts whose e-mail address is still not in the form of `readEmail`, which new addresses have: migration 0009 left it
   * as it was, because it is not valid (`invalid`) or another account has the same address in that form (`taken`).
   */
  emailProblems(limit: number): Promise<EmailProblem[]> {
    return this.store.rows(
      `SELECT a.account_id AS accountID, a.company_id AS companyID, a.email, p.problem
         FROM email_problem p JOIN account a ON a.account_id = p.account_id ORDER BY p.account_id LIMIT ?`,
      [limit],
    );
  }

  /**
   * Changes the address of a company's account, whose sessions stay, and deletes the invitations of the new address that its shares make needless.
   * Throws CONFLICT when another account has the address, and NOT_FOUND also for an operator, whose address is a setting.
   */
  async changeEmail(operator: SessionCaller, accountID: string, email: string): Promise<Account> {
    return this.store.transaction(async (tx) => {
      await lockCaller(tx, operator);
      const accounts = tx.repository(Account);
      // Locked, so that the audit event names the address that this change replaces.
      const lock = { mode: 'pessimistic_write' } as const;
      const account = await accounts.findOne({ where: { id: accountID, companyID: Not(IsNull()) }, lock });
      if (!account) throw notFound('account');
      await accounts.update({ id: accountID }, { email }).catch(refuseDuplicate);
      await tx.write('DELETE FROM email_problem WHERE account_id = ?', [accountID]);
      await deleteRedundantInvitations(tx, accountID, email);
      await new AccountEvents(tx).record({ accountID, actorID: operator.accountID, action: 'email.changed' });
      const { companyID } = account;
      recordAction(tx, {
        action: 'account.email',
        objectID: accountID,
        companyID,
        detail: { from: account.email, to: email },
      });
      return Object.assign(account, { email });
    });
  }

  /**
   * An operator sees the events of every account, an administrator those of accounts of its company, without the id of an operator
   * that acted. Throws NOT_FOUND for every other account.
   */
  async events({ companyID }: SessionCaller, id: string, limit: number): Promise<ListedAccountEvent[]> {
    const scope = companyID === null ? { id } : { id, companyID };
    const exists = await this.store.repository(Account).existsBy(scope);
    if (!exists) throw notFound('account');
    const events = await this.audit.list(id, limit);
    if (companyID === null) return events;
    return events.map((event) => (event.actorRole === 'operator' ? { ...event, actorID: null } : event));
  }
}

function refuseDuplicate(error: unknown): never {
  throw isDuplicate(error) ? new ApiError('CONFLICT', 'email: another account has it') : error;
}
