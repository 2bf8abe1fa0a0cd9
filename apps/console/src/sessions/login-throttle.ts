import { addressKey, MinuteCounts } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/**
 * An attempt to log in or to change a password. It counts against the network address that sent it, and against the account or, without an
 * account, the e-mail address.
 */
export interface LoginAttempt {
  address: string | undefined;
  /**
   * At a change of the password, the caller's account; at a login, the account with the e-mail address, so that all spellings of an address
   * share one count. Absent when no account has it.
   */
  accountID?: string;
  /** The normalized e-mail address of a login, if no account has it. Absent, like the account, until the login has looked for the account. */
  email?: string;
}

/**
 * Limits how many passwords this replica verifies in a minute, at the login and at the change of a password. Wrong passwords have the lower
 * limit, which stops guessing; right ones are limited as well, because each costs as much processor time.
 */
@Injectable()
export class LoginThrottle {
  private readonly failures: MinuteCounts;
  private readonly attemptsOfAccounts: MinuteCounts;
  private readonly attemptsOfAddresses: MinuteCounts;

  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {
    this.failures = new MinuteCounts(config.LOGIN_FAILURES_PER_MINUTE);
    this.attemptsOfAccounts = new MinuteCounts(config.LOGINS_PER_MINUTE);
    this.attemptsOfAddresses = new MinuteCounts(config.LOGINS_PER_ADDRESS);
  }

  /** Throws RATE_LIMITED after too many wrong passwords within a minute; counts nothing. */
  refuseIfThrottled(attempt: LoginAttempt): void {
    if (this.failures.waitMsOf([addressKeyOf(attempt), ...accountKeysOf(attempt)], Date.now()) === 0) return;
    const limit = this.config.LOGIN_FAILURES_PER_MINUTE;
    throw new ApiError(
      'RATE_LIMITED',
      `More than ${limit} refused logins in a minute (setting LOGIN_FAILURES_PER_MINUTE); wait a minute.`,
    );
  }

  /** Counts an attempt before its password is verified; throws RATE_LIMITED, and counts nothing, above a limit. */
  admit(attempt: LoginAttempt): void {
    this.refuseIfThrottled(attempt);
    const { LOGINS_PER_MINUTE, LOGINS_PER_ADDRESS } = this.config;
    const [account, address, now] = [accountKeysOf(attempt), [addressKeyOf(attempt)], Date.now()];
    if (this.attemptsOfAccounts.waitMsOf(account, now) > 0) {
      throw new ApiError(
        'RATE_LIMITED',
        `More than ${LOGINS_PER_MINUTE} logins of an account in a minute (setting LOGINS_PER_MINUTE); wait a minute.`,
      );
    }
    if (this.attemptsOfAddresses.waitMsOf(address, now) > 0) {
      throw new ApiError(
        'RATE_LIMITED',
        `More than ${LOGINS_PER_ADDRESS} logins from an address in a minute (setting LOGINS_PER_ADDRESS); wait a minute.`,
      );
    }
    this.attemptsOfAccounts.record(account, now);
    this.attemptsOfAddresses.record(address, now);
  }

  /** Counts a wrong password against the network address and against the account or e-mail address. */
  recordFailure(attempt: LoginAttempt): void {
    this.failures.record([addressKeyOf(attempt), ...accountKeysOf(attempt)], Date.now());
  }
}

function addressKeyOf({ address }: LoginAttempt): string {
  return `address ${addressKey(address)}`;
}

function accountKeysOf({ accountID, email }: LoginAttempt): string[] {
  if (accountID !== undefined) return [`account ${accountID}`];
  return email === undefined ? [] : [`email ${email}`];
}
