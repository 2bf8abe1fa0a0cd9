import { ApiError } from '@batuta/errors';
import { DelayedRefusals } from '@batuta/http';
import { RateLimiter, RefusedCallers, setRateHeaders, type RateLimit, type RefusedCaller } from '@batuta/rate';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import type { SessionCaller } from './caller';

/** Name of the company's limit in the rate limit headers, where the limit of the account is `default`. */
const COMPANY_LIMIT_NAME = 'company';

/**
 * Limits the calls of one account and of one company per minute, over all replicas, with the rate limit headers of the public API
 * (interpretation 55).
 */
@Injectable()
export class CallLimit {
  private readonly refusedCallers = new RefusedCallers();
  private readonly delayedRefusals = new DelayedRefusals();

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CONSOLE_CONFIG) private readonly config: Pick<ConsoleConfig, 'CALLS_PER_MINUTE' | 'COMPANY_CALLS_FACTOR'>,
  ) {}

  /**
   * Throws RATE_LIMITED, without a query to the database and after the delay of a refusal, for a session whose calls this replica refused twice
   * within the last second.
   */
  async repeatRefusal(token: string, response: Response): Promise<void> {
    const refused = this.refusedCallers.find(token);
    if (refused) await this.refuse(refused, response);
  }

  /**
   * Counts a call of the account and its company. Above one of the limits it remembers the session, and throws RATE_LIMITED after a delay.
   * Operators run the installation and have no limit.
   */
  async charge({ accountID, companyID, role }: SessionCaller, token: string, response: Response): Promise<void> {
    if (role === 'operator') return;
    const { CALLS_PER_MINUTE: limit } = this.config;
    const answer = await this.limiter.take(
      { subject: `account:${accountID}`, limit },
      ...this.companyLimits(companyID),
    );
    if (answer.granted) {
      setRateHeaders(response, answer);
      return;
    }
    const message =
      answer.name === COMPANY_LIMIT_NAME
        ? `More than ${answer.limit} calls in a minute with all accounts of the company (setting COMPANY_CALLS_FACTOR); wait for the next minute.`
        : `More than ${answer.limit} calls in a minute with this account (setting CALLS_PER_MINUTE); wait for the next minute.`;
    const refused = { answer, tenant: companyID ?? accountID, message };
    this.refusedCallers.remember(token, refused);
    await this.refuse(refused, response);
  }

  private companyLimits(companyID: string | null): RateLimit[] {
    if (companyID === null) return [];
    const { CALLS_PER_MINUTE, COMPANY_CALLS_FACTOR } = this.config;
    const limit = CALLS_PER_MINUTE * COMPANY_CALLS_FACTOR;
    return [{ subject: `management:${companyID}`, limit, name: COMPANY_LIMIT_NAME }];
  }

  private async refuse({ answer, tenant, message }: RefusedCaller, response: Response): Promise<never> {
    setRateHeaders(response, answer);
    await this.delayedRefusals.delay(tenant, response);
    throw new ApiError('RATE_LIMITED', message);
  }
}
