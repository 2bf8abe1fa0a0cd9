import { recordAction } from '@batuta/audit';
import { MinuteCounts, UNKNOWN_SESSION_MESSAGE } from '@batuta/auth';
import { lockAccountOfCaller } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { notFound } from '../http/not-found';
import type { Role } from '../registry';
import { AccountEvents } from './account-events';
import { toCaller, type SessionCaller } from './caller';
import { lockCaller } from './lock-caller';
import { LoginThrottle } from './login-throttle';
import { UNMATCHABLE_HASH, PasswordHasher, hashTenantOf } from './password-hasher';

/** Letters and digits without those that look alike, such as l and 1. */
const ONE_TIME_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const ONE_TIME_GROUPS = 5;
const ONE_TIME_GROUP_LENGTH = 4;
/** Lifetime of a one-time password. */
const ONE_TIME_HOURS = 24;

interface PasswordRow {
  role: Role;
  password_hash: string;
  one_time_hash: string | null;
}

/**
 * Changes and resets passwords. Either ends, in the same transaction, every session of the account except the one that
 * makes the change.
 */
@Injectable()
export class PasswordService {
  private readonly resets: MinuteCounts;

  constructor(
    private readonly store: Store,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {
    this.resets = new MinuteCounts(config.PASSWORD_RESETS_PER_MINUTE);
  }

  /**
   * Changes the caller's own password. The caller's session continues; if a one-time password opened it, it may now call all routes of its role.
   * Wrong passwords count as at a login and are FORBIDDEN. Throws RATE_LIMITED, BAD_REQUEST when the new password is the current one, CONFLICT for
   * an operator and when another call changes the password meanwhile, and what `lockAccountOfCaller` throws.
   */
  async change(
    caller: SessionCaller,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
    address: string | undefined,
  ): Promise<void> {
    const { accountID, companyID, tokenHash } = caller;
    const guesser = { address, accountID };
    this.throttle.refuseIfThrottled(guesser);
    const before = await this.passwordOf(accountID);
    if (before.role === 'operator') {
      throw new ApiError('CONFLICT', 'The password of the operator is the setting OPERATOR_PASSWORD of the console.');
    }
    this.throttle.admit(guesser);
    const hash = before.one_time_hash ?? before.password_hash;
    const right = await this.passwords.matches(hash, currentPassword, hashTenantOf(caller));
    this.throttle.refuseIfThrottled(guesser);
    if (!right) {
      this.throttle.recordFailure(guesser);
      throw new ApiError('FORBIDDEN', 'currentPassword: is not the password of the account');
    }
    if (currentPassword.normalize('NFC') === newPassword) {
      throw new ApiError('BAD_REQUEST', 'newPassword: must differ from the current password');
    }
    const passwordHash = await this.passwords.hash(newPassword, hashTenantOf(caller));
    await this.store.transaction(async (tx) => {
      const { affectedRows } = await tx.write(
        `UPDATE account SET password_hash = ?, one_time_hash = NULL, one_time_until = NULL
          WHERE account_id = ? AND password_hash = ? AND one_time_hash <=> ?`,
        [passwordHash, accountID, before.password_hash, before.one_time_hash],
      );
      if (affectedRows === 0) throw new ApiError('CONFLICT', 'The password was changed by another call.');
      // The update above has locked the row of the account. If two changes first locked it in share mode here, their updates would deadlock.
      await lockAccountOfCaller(tx, toCaller(caller));
      await tx.write('DELETE FROM login_session WHERE account_id = ? AND token_hash <> ?', [accountID, tokenHash]);
      await tx.write('UPDATE login_session SET one_time = 0 WHERE token_hash = ?', [tokenHash]);
      await new AccountEvents(tx).record({ accountID, actorID: accountID, action: 'password.changed' });
      recordAction(tx, { action: 'account.password', objectID: accountID, companyID });
    });
    this.logger.info({ accountID }, 'an account changed its password');
  }

  /**
   * Replaces the password of an account by a one-time password, and returns it: only its hash is stored. An administrator resets accounts of its
   * company, an operator those of every company; for others it throws NOT_FOUND, and CONFLICT for the caller's own account. Also throws RATE_LIMITED,
   * and what `lockCaller` throws.
   */
  async reset(caller: SessionCaller, accountID: string): Promise<{ password: string; expiresAt: Date }> {
    if (accountID === caller.accountID) {
      throw new ApiError('CONFLICT', 'An account changes its own password by PUT /manage/v1/session/password.');
    }
    this.admitReset(caller);
    const password = mintOneTimePassword();
    const hash = await this.passwords.hash(password, hashTenantOf(caller));
    const expiresAt = await this.store.transaction(async (tx) => {
      // The session may have ended while the password waited to be hashed.
      await lockCaller(tx, caller);
      const scope = caller.companyID === null ? 'company_id IS NOT NULL' : 'company_id = ?';
      const { affectedRows } = await tx.write(
        `UPDATE account SET password_hash = ?, one_time_hash = ?,
                one_time_until = UTC_TIMESTAMP(3) + INTERVAL ${ONE_TIME_HOURS} HOUR
          WHERE account_id = ? AND ${scope}`,
        [UNMATCHABLE_HASH, hash, accountID, ...(caller.companyID === null ? [] : [caller.companyID])],
      );
      if (affectedRows === 0) throw notFound('account');
      await tx.write('DELETE FROM login_session WHERE account_id = ?', [accountID]);
      await new AccountEvents(tx).record({ accountID, actorID: caller.accountID, action: 'password.reset' });
      const row = await tx.row<{ until: Date; company_id: string }>(
        'SELECT one_time_until AS until, company_id FROM account WHERE account_id = ?',
        [accountID],
      );
      const companyID = row?.company_id ?? null;
      recordAction(tx, { action: 'account.password-reset', objectID: accountID, companyID });
      return row?.until ?? new Date();
    });
    this.logger.info({ accountID, actorID: caller.accountID }, 'the password of an account was reset');
    return { password, expiresAt };
  }

  /**
   * Counts a reset of the company in this replica; throws RATE_LIMITED above the limit. Operators run the installation and have no limit.
   */
  private admitReset({ companyID }: SessionCaller): void {
    if (companyID === null) return;
    const now = Date.now();
    if (this.resets.waitMsOf([companyID], now) > 0) {
      const limit = this.config.PASSWORD_RESETS_PER_MINUTE;
      const message = `More than ${limit} password resets of a company in a minute (setting PASSWORD_RESETS_PER_MINUTE); wait a minute.`;
      throw new ApiError('RATE_LIMITED', message);
    }
    this.resets.record([companyID], now);
  }

  private async passwordOf(accountID: string): Promise<PasswordRow> {
    const row = await this.store.row<PasswordRow>(
      'SELECT role, password_hash, one_time_hash FROM account WHERE account_id = ?',
      [accountID],
    );
    if (!row) throw new ApiError('INVALID_CREDENTIAL', UNKNOWN_SESSION_MESSAGE);
    return row;
  }
}

/** A password of 100 random bits that a person can read aloud, such as `k7mq-2xvd-…`. */
function mintOneTimePassword(): string {
  const group = () =>
    Array.from({ length: ONE_TIME_GROUP_LENGTH }, () => ONE_TIME_ALPHABET[randomInt(ONE_TIME_ALPHABET.length)]).join(
      '',
    );
  return Array.from({ length: ONE_TIME_GROUPS }, group).join('-');
}
