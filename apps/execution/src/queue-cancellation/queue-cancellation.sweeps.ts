import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueCancellationService } from './queue-cancellation.service';

/**
 * Pause between two sweeps. An instance of a cancelled queue keeps the status `queued` until a sweep has reached it: for about this time,
 * and longer in a long queue.
 */
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
