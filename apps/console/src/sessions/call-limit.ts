import { ApiError } from '@batuta/errors';
import { RateLimiter, setRateHeaders } from '@batuta/rate';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import type { SessionCaller } from './caller';

/** Limits the calls of one account per minute, with the rate limit headers of the public API (interpretation 55). */
@Injectable()
export class CallLimit {
  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CONSOLE_CONFIG) private readonly config: Pick<ConsoleConfig, 'CALLS_PER_MINUTE'>,
  ) {}

  /** Counts a call of the account; throws RATE_LIMITED above the limit. Operators run the service and have no limit. */
  async charge({ accountID, role }: SessionCaller, response: Response): Promise<void> {
    if (role === 'operator') return;
    const { CALLS_PER_MINUTE: limit } = this.config;
    const answer = await this.limiter.take({ subject: `account:${accountID}`, limit });
    setRateHeaders(response, answer);
    if (answer.granted) return;
    throw new ApiError(
      'RATE_LIMITED',
      `More than ${limit} calls in a minute with this account (setting CALLS_PER_MINUTE); wait for the next minute.`,
    );
  }
}
