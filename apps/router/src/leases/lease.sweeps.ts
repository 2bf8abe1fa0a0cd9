import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { LeaseHealth } from './lease-health';
import { LeaseKeeper } from './lease-keeper';
import { leaseTimes } from './lease-rules';

/** A lapsing or silent session ends at most one check late, which is a small part of the lease. */
const CLOCK_CHECKS_PER_LEASE = 40;

@Injectable()
export class LeaseSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly leases: LeaseKeeper,
    private readonly health: LeaseHealth,
    @Inject(ROUTER_CONFIG) private readonly config: RouterConfig,
  ) {}

  onApplicationBootstrap(): void {
    const { leaseMs, renewIntervalMs, observeIntervalMs } = leaseTimes(this.config.LEASE_SECONDS);
    this.tasks.every('renew leases', renewIntervalMs, () => this.leases.renew());
    this.tasks.every('observe lease health', observeIntervalMs, () => this.health.observe());
    this.tasks.every('check lease clocks', leaseMs / CLOCK_CHECKS_PER_LEASE, async () => this.leases.checkClocks());
  }
}
