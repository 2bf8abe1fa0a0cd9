import { withTimeout } from '@batuta/async';
import { execution } from '@batuta/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext, timeoutErrorOf } from '../context/router-context';
import { LeaseHealthRepository } from './lease-health.repository';
import { leaseTimes } from './lease-rules';

/**
 * Observes that leases can be renewed and sessions resumed. While no router can observe it, because the database, NATS
 * or all replicas of execution or router are away, execution ends no instance because of an expired lease: the agent
 * may be alive.
 */
@Injectable()
export class LeaseHealth {
  private readonly times;

  constructor(
    private readonly context: RouterContext,
    private readonly repository: LeaseHealthRepository,
    @Inject(ROUTER_CONFIG) config: RouterConfig,
  ) {
    this.times = leaseTimes(config.LEASE_SECONDS);
  }

  /** Throws while the database, NATS or execution is away; the next observation follows soon. */
  async observe(): Promise<void> {
    const { observeIntervalMs, healthMs } = this.times;
    await this.context.rpc.call(execution.canAdopt, {}, { timeout: observeIntervalMs });
    const outageSeconds = await withTimeout(
      this.repository.record(),
      healthMs,
      timeoutErrorOf('The record of the health'),
    );
    if (outageSeconds === undefined) return;
    this.context.logger.warn(
      { outageSeconds },
      'no lease could be renewed for a while; the leases of that time are renewed',
    );
  }
}
