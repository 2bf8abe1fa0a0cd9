import type { AuthenticatedCaller } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { RateLimiter, setRateHeaders, type RateLimit } from '@batuta/rate';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayMetrics } from '../common/gateway.metrics';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import type { AuthorizationStep } from './authorization';

/** Name of the company's limit in the headers. */
const COMPANY_LIMIT_NAME = 'company';

/**
 * Counts the request against the limits of the credential and of its company, and refuses it when one of them is used
 * up for this minute (interpretations 42 and 54).
 */
@Injectable()
export class RateStep {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly metrics: GatewayMetrics,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'COMPANY_RATE_FACTOR'>,
  ) {}

  readonly check: AuthorizationStep = async ({ caller, response }) => {
    const { credentialID, requestsPerMinute: limit } = caller;
    const answer = await this.limiter.take({ subject: `credential:${credentialID}`, limit }, ...this.ofCompany(caller));
    setRateHeaders(response, answer);
    if (answer.granted) return;
    this.metrics.countRefusal('requests');
    const callers = answer.name === COMPANY_LIMIT_NAME ? 'all credentials of the company' : 'this credential';
    throw new ApiError('RATE_LIMITED', `More than ${answer.limit} requests in a minute with ${callers}.`);
  };

  private ofCompany({ companyID, requestsPerMinute }: AuthenticatedCaller): RateLimit[] {
    if (companyID === null) return [];
    const limit = requestsPerMinute * this.config.COMPANY_RATE_FACTOR;
    return [{ subject: `company:${companyID}`, limit, name: COMPANY_LIMIT_NAME }];
  }
}
