import { InFlightTasks } from '@batuta/async';
import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { removeRecords } from './schedule-removal';

/**
 * Removes the firings and missed times of schedules that somebody has removed, one schedule after the other. No caller waits for it: a
 * schedule of every minute has half a million firings in a year, whose removal takes minutes.
 */
@Injectable()
export class ScheduleRecordRemover implements BeforeApplicationShutdown {
  private readonly removals = new InFlightTasks();
  private newest = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** To be called after the commit that removed the schedule. */
  begin(scheduleID: string): void {
    this.newest = this.newest.then(() => this.remove(scheduleID));
    this.removals.add(this.newest);
  }

  /** Waits until the removal in progress has ended with its present bite; retention deletes the rest. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.tasks.stop();
    await this.removals.drain();
  }

  /** Logs a failure instead of throwing it, because retention removes the records that are left. */
  private async remove(scheduleID: string): Promise<void> {
    try {
      await removeRecords(this.store, scheduleID, { isStopping: () => this.tasks.stopping });
    } catch (error) {
      this.logger.warn({ err: error, scheduleID }, 'the firings of a removed schedule are left to their retention');
    }
  }
}
