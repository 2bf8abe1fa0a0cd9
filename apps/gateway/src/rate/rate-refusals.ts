import { ApiError } from '@batuta/errors';
import { DelayedRefusals } from '@batuta/http';
import { RefusedCallers, setRateHeaders, type RefusedCaller } from '@batuta/rate';
import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { GatewayClock } from '../common/gateway-clock';
import { GatewayMetrics } from '../common/gateway.metrics';

/**
 * Refuses requests beyond the limit of a minute. After two refusals of a caller within a second, its next requests are refused without a
 * query, for at most a second. Refusals are delayed; when many of a tenant already are, a further one is answered at once and its
 * connection is closed.
 */
@Injectable()
export class RateRefusals {
  private readonly callers: RefusedCallers;
  private readonly refusals = new DelayedRefusals();

  constructor(
    { now }: GatewayClock,
    private readonly metrics: GatewayMetrics,
  ) {
    this.callers = new RefusedCallers(now);
  }

  /**
   * Rejects with RATE_LIMITED, after a delay, for a caller that was refused twice, the last time less than a second ago; returns undefined for
   * any other. `secret` is what the caller authenticates with: the `Authorization` header, or process id and token of a webhook URL.
   */
  repeatFor(secret: string | undefined, response: ServerResponse): Promise<void> | undefined {
    const refused = this.callers.find(secret);
    return refused && this.answer(refused, response);
  }

  /** Remembers the caller, and rejects with RATE_LIMITED after a delay. */
  async refuse(secret: string | undefined, refused: RefusedCaller, response: ServerResponse): Promise<never> {
    if (secret !== undefined) this.callers.remember(secret, refused);
    return this.answer(refused, response);
  }

  private async answer({ answer, tenant, message }: RefusedCaller, response: ServerResponse): Promise<never> {
    setRateHeaders(response, answer);
    this.metrics.countRefusal('requests');
    await this.refusals.delay(tenant, response);
    throw new ApiError('RATE_LIMITED', message);
  }
}
