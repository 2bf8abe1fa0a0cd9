import { ApiError } from '@batuta/errors';
import { HeldAnswers } from '@batuta/http';
import { RateLimiter, RefusedCallers, setRateHeaders, type RefusedCaller } from '@batuta/rate';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import type { SessionCaller } from './caller';

/** Limits the calls of one account per minute, with the rate limit headers of the public API (interpretation 55). */
@Injectable()
export class CallLimit {
  private readonly refused = new RefusedCallers();
  private readonly held = new HeldAnswers();

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CONSOLE_CONFIG) private readonly config: Pick<ConsoleConfig, 'CALLS_PER_MINUTE'>,
  ) {}

  /** Throws RATE_LIMITED for a session that was refused less than a second ago, before anything is looked up. */
  async repeatRefusal(token: string, response: Response): Promise<void> {
    const refused = this.refused.find(token);
    if (refused) await this.refuse(refused, response);
  }

  /**
   * Counts a call of the account; throws RATE_LIMITED above the limit, and remembers the session. Operators run the service and
   * have no limit.
   */
  async charge({ accountID, companyID, role }: SessionCaller, token: string, response: Response): Promise<void> {
    if (role === 'operator') return;
    const { CALLS_PER_MINUTE: limit } = this.config;
    const answer = await this.limiter.take({ subject: `account:${accountID}`, limit });
    if (answer.granted) {
      setRateHeaders(response, answer);
      return;
    }
    const message = `More than ${limit} calls in a minute with this account (setting CALLS_PER_MINUTE); wait for the next minute.`;
    const refused = { answer, tenant: companyID ?? accountID, message };
    this.refused.remember(token, refused);
    await this.refuse(refused, response);
  }

  private async refuse({ answer, tenant, message }: RefusedCaller, response: Response): Promise<never> {
    setRateHeaders(response, answer);
    await this.held.hold(tenant, response);
    throw new ApiError('RATE_LIMITED', message);
  }
}
