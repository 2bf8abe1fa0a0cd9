import {
  addressKey,
  authenticate,
  FailureThrottle,
  readCredential,
  requireActive,
  requireApiAccess,
  type Caller,
} from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../clock';
import { GatewayMetrics } from '../http/gateway-metrics';
import { readAhead } from '../http/json-body';
import { requestOf, type GatewayRequest } from '../http/request';
import { setRateHeaders } from '../rate/rate-headers';
import { RateLimiter } from '../rate/rate-limiter';
import { AccessLookups } from './lookups';
import { reachOf } from './reach';

/** Lets in who has a good account credential, an active account, API access and requests left: interpretation 11, in its order. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly failures: FailureThrottle,
    private readonly clock: Clock,
    private readonly limiter: RateLimiter,
    private readonly metrics: GatewayMetrics,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const response = context.switchToHttp().getResponse<Response>();
    this.throttle(request, response);
    const caller = await this.identify(request);
    request.caller = caller;
    requireActive(caller);
    requireApiAccess(caller);
    await this.limit(caller, response);
    return true;
  }

  private throttle(request: GatewayRequest, response: Response): void {
    const seconds = Math.ceil(this.failures.waitOf([addressKey(request.ip)], this.clock.now()) / 1_000);
    if (seconds === 0) return;
    response.setHeader('Retry-After', String(seconds));
    this.metrics.refused('credentials');
    throw new ApiError('RATE_LIMITED', 'Too many wrong credentials from this address; try again later.');
  }

  private async identify(request: GatewayRequest): Promise<Caller> {
    try {
      const { credentialID, secret } = readCredential(request.headers.authorization);
      const reach = reachOf(request.params['pid'], request.headers['x-process-key']);
      const asked = this.lookups.access({ credentialID, reach });
      readAhead(request);
      const found = await asked;
      const caller = authenticate(found?.caller, secret);
      request.reached = found?.access;
      return caller;
    } catch (error) {
      // A request without a credential guesses nothing; a part that is away is not the caller's fault.
      const wrong = error instanceof ApiError && error.status === 401 && error.code !== 'MISSING_CREDENTIAL';
      if (wrong) this.failures.failed([addressKey(request.ip)], this.clock.now());
      throw error;
    }
  }

  private async limit(caller: Caller, response: Response): Promise<void> {
    const answer = await this.limiter.take(`credential:${caller.credentialID}`, caller.requestsPerMinute);
    setRateHeaders(response, answer);
    if (answer.granted) return;
    this.metrics.refused('requests');
    throw new ApiError('RATE_LIMITED', `More than ${answer.limit} requests in a minute with this credential.`);
  }
}
