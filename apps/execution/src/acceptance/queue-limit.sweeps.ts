import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueLimit } from './queue-limit';

const INTERVAL_MS = 250;
/** A fifth of the interval, so that counting keeps at most a fifth of one connection busy. */
const BUSY_MS = 50;

/** Counts the queues whose estimates are inexact or old. */
@Injectable()
export class QueueLimitSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly limit: QueueLimit,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('queue counts', INTERVAL_MS, () => this.limit.recount(BUSY_MS));
  }
}
