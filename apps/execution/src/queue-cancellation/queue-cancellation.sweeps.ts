import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueCancellationService } from './queue-cancellation.service';

/** Bounds how long an instance of a cancelled queue still has the status `queued`, before its end is written. */
const SWEEP_INTERVAL_MS = 250;

/**
 * Ends the instances of cancelled queues. An instance that ends in error cancels the queue of its environment, if the environment has
 * `cancelQueueOnException`: one row of `queue_cancellation` says so, and this sweep writes the ends of the queued instances.
 */
@Injectable()
export class QueueCancellationSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly cancellations: QueueCancellationService,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('queue cancellations', SWEEP_INTERVAL_MS, () =>
      this.cancellations.sweep(() => this.tasks.stopping),
    );
  }
}
