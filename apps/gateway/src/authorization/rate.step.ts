import type { AuthenticatedCaller } from '@batuta/auth';
import { RateLimiter, setRateHeaders, type RateLimit } from '@batuta/rate';
import { Inject, Injectable } from '@nestjs/common';
import { tenantOf } from '../http/request';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { RateRefusals } from '../rate/rate-refusals';
import type { AuthorizationStep } from './authorization';

/** Name of the company's limit in the headers. */
const COMPANY_LIMIT_NAME = 'company';

/**
 * Counts the request against the limits of the credential and of its company, or refuses it when one of them is used up for this minute
 * (interpretations 42 and 54).
 */
@Injectable()
export class RateStep {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly refusals: RateRefusals,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'COMPANY_RATE_FACTOR'>,
  ) {}

  readonly check: AuthorizationStep = async ({ request, caller, response }) => {
    const { credentialID, requestsPerMinute: limit } = caller;
    const answer = await this.limiter.take(
      { subject: `credential:${credentialID}`, limit },
      ...this.limitsOfCompany(caller),
    );
    if (answer.granted) {
      setRateHeaders(response, answer);
      return;
    }
    const callers = answer.name === COMPANY_LIMIT_NAME ? 'all credentials of the company' : 'this credential';
    const message = `More than ${answer.limit} requests in a minute with ${callers}.`;
    const refused = { answer, tenant: tenantOf(caller), message };
    await this.refusals.refuse(request.headers.authorization, refused, response);
  };

  private limitsOfCompany({ companyID, requestsPerMinute }: AuthenticatedCaller): RateLimit[] {
    if (companyID === null) return [];
    const limit = requestsPerMinute * this.config.COMPANY_RATE_FACTOR;
    return [{ subject: `company:${companyID}`, limit, name: COMPANY_LIMIT_NAME }];
  }
}
