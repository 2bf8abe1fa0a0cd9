import { addressKey, FailureThrottle } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/** A wrong password counts against the address that sent it and against the account that it was for. */
export interface Guesser {
  address: string | undefined;
  /** Absent when no account has the e-mail address. All spellings of one address lead to one account and so to one count. */
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

  /** Throws RATE_LIMITED after too many wrong passwords within a minute. */
  refuse(guesser: Guesser): void {
    if (this.failures.waitOf(keysOf(guesser), Date.now()) > 0) {
      throw new ApiError('RATE_LIMITED', 'Too many refused logins; wait a minute.');
    }
  }

  failed(guesser: Guesser): void {
    this.failures.failed(keysOf(guesser), Date.now());
  }
}

function keysOf({ address, accountID, email }: Guesser): string[] {
  return [
    `address ${addressKey(address)}`,
    ...(accountID === undefined ? [] : [`account ${accountID}`]),
    ...(email === undefined ? [] : [`email ${email}`]),
  ];
}
