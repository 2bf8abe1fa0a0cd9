import { RateLimiter } from '@batuta/rate';
import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const ALLOWANCE_SWEEP_INTERVAL_MS = 60_000;

/** Deletes the rows of `rate_allowance` for minutes that ended at least two minutes ago, also those that the console wrote. */
@Injectable()
export class RateSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly limiter: RateLimiter,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('rate allowances', ALLOWANCE_SWEEP_INTERVAL_MS, () => this.limiter.sweep());
  }
}
