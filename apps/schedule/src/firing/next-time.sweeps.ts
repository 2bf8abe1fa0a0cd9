import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SCHEDULE_CONFIG, type ScheduleConfig } from '../config';
import { NominalClock } from '../nominal-clock';
import { changeNextTime, pageOfNextTimes, type ScheduleTiming } from './due-schedule.repository';
import { createDueTimePlanner } from './due-times';

const SCHEDULES_PER_SWEEP = 500;
/**
 * Greatest change of a next time. The rules of a zone change by an hour or two; a next time that is further away is another nominal time,
 * because that of today has fired, or is about to fire, by the earlier rules.
 */
const MAX_CHANGE_MS = 3 * 3_600_000;

/**
 * Corrects the next times of schedules when the rules of the time zone have changed with a release of Node: they were computed by the
 * earlier rules, maybe a year ago. Each sweep reads one page of schedules, and the next sweep continues after it.
 */
@Injectable()
export class NextTimeSweeps implements OnApplicationBootstrap {
  /** The id of the last schedule that was read; empty before the first page, and again after the last page. */
  private position = '';

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly store: Store,
    private readonly clock: NominalClock,
    @Inject(SCHEDULE_CONFIG) private readonly config: ScheduleConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('next times', this.config.SWEEP_MS, async () => {
      const corrected = await this.sweep();
      if (corrected > 0) this.logger.info({ corrected }, 'next times were corrected by the rules of the time zone');
    });
  }

  /** Returns the number of schedules that it corrected. */
  async sweep(): Promise<number> {
    const page = await pageOfNextTimes(this.store, this.position, SCHEDULES_PER_SWEEP);
    // The clock is read after the page: otherwise a schedule that is made meanwhile could get a time from before its creation.
    const { now } = await this.clock.read(this.store);
    this.position = page.length < SCHEDULES_PER_SWEEP ? '' : (page.at(-1)?.schedule_id ?? '');
    const planOf = createDueTimePlanner(now.getTime());
    let corrected = 0;
    for (const schedule of page) {
      if (await this.correct(schedule, now, planOf)) corrected += 1;
    }
    return corrected;
  }

  /** Leaves a schedule that is due to the recording of due schedules. */
  private async correct(
    schedule: ScheduleTiming,
    now: Date,
    planOf: ReturnType<typeof createDueTimePlanner>,
  ): Promise<boolean> {
    const { cron_expression: expression, next_at: nextAt } = schedule;
    if (!nextAt || nextAt <= now) return false;
    const { next } = planOf(expression, now.getTime() + 1);
    if (next === undefined || next === nextAt.getTime()) return false;
    if (Math.abs(next - nextAt.getTime()) > MAX_CHANGE_MS) return false;
    return changeNextTime(this.store, schedule, new Date(next));
  }
}
