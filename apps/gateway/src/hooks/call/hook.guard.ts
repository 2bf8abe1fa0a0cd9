import { authorizeHook, hashSecret, readID } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { RateLimiter, setRateHeaders } from '@batuta/rate';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { AccessLookups } from '../../authorization/access-lookups';
import { GatewayClock } from '../../common/gateway-clock';
import { GatewayMetrics } from '../../common/gateway.metrics';
import { requestOf } from '../../http/request';

const TOKEN_PATTERN = /^bwh_[\w-]{43}$/;

/**
 * Authorizes the URL of a call and applies the rate limit of the plan of the process's owner. Wrong tokens do not count
 * against an address: senders share addresses, and one customer's old URL must not lock out another's calls.
 */
@Injectable()
export class HookGuard implements CanActivate {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly clock: GatewayClock,
    private readonly limiter: RateLimiter,
    private readonly metrics: GatewayMetrics,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const calledAt = this.clock.now();
    const tokenHash = hashOf(request.params);
    const hook = authorizeHook(tokenHash && (await this.lookups.hook(tokenHash)), request.params['pid']);
    if (tokenHash) request.hook = { ...hook, tokenHash, calledAt };
    await this.limit(hook, context.switchToHttp().getResponse<Response>());
    return true;
  }

  private async limit(
    { originID, requestsPerMinute }: { originID: string; requestsPerMinute: number },
    response: Response,
  ): Promise<void> {
    const answer = await this.limiter.take({ subject: `origin:${originID}`, limit: requestsPerMinute });
    setRateHeaders(response, answer);
    if (answer.granted) return;
    this.metrics.countRefusal('requests');
    throw new ApiError('RATE_LIMITED', `More than ${answer.limit} requests in a minute to this webhook.`);
  }
}

/** The SHA-256 of the token; undefined when process id or token is malformed, which saves the query. */
function hashOf({ pid, token }: Record<string, unknown>): Buffer | undefined {
  if (readID(pid) === undefined || typeof token !== 'string' || !TOKEN_PATTERN.test(token)) return undefined;
  return hashSecret(token);
}
