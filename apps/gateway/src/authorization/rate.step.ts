import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { GatewayMetrics } from '../common/gateway-metrics';
import { setRateHeaders } from '../rate/rate-headers';
import { RateLimiter } from '../rate/rate-limiter';
import type { AuthorizationStep } from './authorization';

/** Charges the request to the credential and refuses it when the plan's requests of this minute are used up. */
@Injectable()
export class RateStep {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly metrics: GatewayMetrics,
  ) {}

  readonly check: AuthorizationStep = async ({ caller, response }) => {
    const answer = await this.limiter.take(`credential:${caller.credentialID}`, caller.requestsPerMinute);
    setRateHeaders(response, answer);
    if (answer.granted) return;
    this.metrics.refused('requests');
    throw new ApiError('RATE_LIMITED', `More than ${answer.limit} requests in a minute with this credential.`);
  };
}
