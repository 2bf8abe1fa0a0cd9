import { authorizeHook, hashSecret, readID, type WebhookUrl } from '@batuta/auth';
import { AdaptiveConcurrency } from '@batuta/http';
import { setTenant } from '@batuta/observability';
import { RateLimiter, setRateHeaders } from '@batuta/rate';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { AccessLookups } from '../../authorization/access-lookups';
import { GatewayClock } from '../../common/gateway-clock';
import { requestOf } from '../../http/request';
import { RateRefusals } from '../../rate/rate-refusals';

const TOKEN_PATTERN = /^bwh_[\w-]{43}$/;

/**
 * Authorizes the URL of a call (`request.hook`), applies the rate limit of the plan of the process's owner to the origin, and lets the call wait
 * while the company has too many in progress. Wrong tokens do not count against an address: senders share addresses, and one customer's old URL
 * must not lock out another's calls.
 */
@Injectable()
export class HookGuard implements CanActivate {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly clock: GatewayClock,
    private readonly limiter: RateLimiter,
    private readonly refusals: RateRefusals,
    private readonly concurrency: AdaptiveConcurrency,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const calledAt = this.clock.now();
    const response = context.switchToHttp().getResponse<Response>();
    const token = tokenOf(request.params);
    const url = token && `${String(request.params['pid'])} ${token}`;
    await this.refusals.repeatFor(url, response);
    const tokenHash = token === undefined ? undefined : hashSecret(token);
    const found = tokenHash && (await this.lookups.findHook(tokenHash));
    const accessReadAt = this.clock.now();
    const hook = authorizeHook(found, request.params['pid']);
    setTenant(hook.companyID);
    if (tokenHash) request.hook = { ...hook, tokenHash, calledAt, accessReadAt };
    await this.limit(hook, url, response);
    await this.concurrency.enter(hook.companyID, response);
    return true;
  }

  private async limit(
    { originID, companyID, requestsPerMinute }: WebhookUrl,
    url: string | undefined,
    response: Response,
  ): Promise<void> {
    const answer = await this.limiter.take({ subject: `origin:${originID}`, limit: requestsPerMinute });
    if (answer.granted) {
      setRateHeaders(response, answer);
      return;
    }
    const message = `More than ${answer.limit} requests in a minute to this webhook.`;
    await this.refusals.refuse(url, { answer, tenant: companyID, message }, response);
  }
}

/** The token; undefined when the process id or the token is malformed: the call is then refused without a query. */
function tokenOf({ pid, token }: Record<string, unknown>): string | undefined {
  if (readID(pid) === undefined || typeof token !== 'string' || !TOKEN_PATTERN.test(token)) return undefined;
  return token;
}
