import { addressKey, FailureThrottle } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/** One attempt to log in. A wrong password counts against the address that sent it and against the account. */
export interface LoginAttempt {
  address: string | undefined;
  /**
   * The account with the e-mail address; undefined when there is none. All spellings of an address belong to one
   * account and share one count.
   */
  accountID?: string;
  /** The normalized e-mail address; absent when an account has it. */
  email?: string;
}

/** The throttle of wrong passwords, at the login and at the change of a password. */
@Injectable()
export class LoginThrottle {
  private readonly failures: FailureThrottle;

  constructor(@Inject(CONSOLE_CONFIG) config: ConsoleConfig) {
    this.failures = new FailureThrottle(config.LOGIN_FAILURES_PER_MINUTE);
  }

  /** Refuses a login with RATE_LIMITED after too many wrong passwords within a minute. */
  refuse(guesser: LoginAttempt): void {
    if (this.failures.waitMsOf(keysOf(guesser), Date.now()) > 0) {
      throw new ApiError('RATE_LIMITED', 'Too many refused logins; wait a minute.');
    }
  }

  recordFailure(guesser: LoginAttempt): void {
    this.failures.recordFailure(keysOf(guesser), Date.now());
  }
}

function keysOf({ address, accountID, email }: LoginAttempt): string[] {
  return [
    `address ${addressKey(address)}`,
    ...(accountID === undefined ? [] : [`account ${accountID}`]),
    ...(email === undefined ? [] : [`email ${email}`]),
  ];
}
