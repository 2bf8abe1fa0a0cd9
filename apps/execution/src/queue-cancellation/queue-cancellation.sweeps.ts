import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueCancellationService } from './queue-cancellation.service';

/** Bounds how long a cancelled instance still looks queued to its caller. */
const SWEEP_INTERVAL_MS = 250;

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
