import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueLimit } from './queue-limit';

const SWEEP_INTERVAL_MS = 250;
/**
 * Time after which a round begins no further count: a fifth of the interval, so that counting keeps a connection busy for
 * about a fifth of the time.
 */
const MAX_COUNTING_MS = 50;

/** Counts the queues whose estimates are inexact or old. */
@Injectable()
export class QueueLimitSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly limit: QueueLimit,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('queue counts', SWEEP_INTERVAL_MS, () => this.limit.recount(MAX_COUNTING_MS));
  }
}
