import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SCHEDULE_CONFIG, type ScheduleConfig } from '../config';
import { createOrphanedScheduleSweep } from './schedule-removal';

/** Removes schedules of deleted processes, because the notification of a deletion may be lost. */
@Injectable()
export class ScheduleSweeps implements OnApplicationBootstrap {
  private readonly orphans;

  constructor(
    private readonly tasks: PeriodicTasks,
    store: Store,
    @Inject(SCHEDULE_CONFIG) private readonly config: ScheduleConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.orphans = createOrphanedScheduleSweep(store, () => this.tasks.stopping);
  }

  onApplicationBootstrap(): void {
    this.tasks.every('schedules of deleted processes', this.config.SWEEP_MS, () => this.remove());
  }

  private async remove(): Promise<void> {
    const removed = await this.orphans.sweep();
    if (removed > 0) this.logger.info({ removed }, 'schedules of deleted processes were removed');
  }
}
