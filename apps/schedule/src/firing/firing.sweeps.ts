import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SCHEDULE_CONFIG, type ScheduleConfig } from '../config';
import { DueScheduleService } from './due-schedule.service';
import { FiringStartService } from './firing-start.service';
import { removeOldFirings } from './firing.repository';
import { MissedTimesService } from './missed-times.service';

/** The periodic tasks of firing. Every replica runs them; row locks divide the work among replicas. */
@Injectable()
export class FiringSweeps implements OnApplicationBootstrap {
  constructor(
    @Inject(PeriodicTasks) private readonly tasks: Pick<PeriodicTasks, 'every' | 'stopping'>,
    private readonly dueSchedules: DueScheduleService,
    @Inject(FiringStartService) private readonly starts: Pick<FiringStartService, 'startPending'>,
    @Inject(MissedTimesService) private readonly missedTimes: Pick<MissedTimesService, 'recordMissed'>,
    private readonly store: Store,
    @Inject(SCHEDULE_CONFIG) private readonly config: ScheduleConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { TICK_MS, SWEEP_MS } = this.config;
    const isStopping = () => this.tasks.stopping;
    // A separate periodic task, because an execution service that does not reply must not delay the recording of due
    // times.
    const pending = this.tasks.every('pending firings', TICK_MS, () => this.starts.startPending(isStopping));
    const onRecorded = () => pending.runWithin(0);
    const due = this.tasks.every('due schedules', TICK_MS, async () => {
      due.runWithin(await this.dueSchedules.recordDue(isStopping, onRecorded));
    });
    this.tasks.every('missed times', TICK_MS, () => this.missedTimes.recordMissed(isStopping));
    this.tasks.every('old firings', SWEEP_MS, () => this.removeOld(isStopping));
  }

  private async removeOld(isStopping: () => boolean): Promise<void> {
    const removed = await removeOldFirings(this.store, this.config.FIRING_RETENTION_DAYS, isStopping);
    if (removed > 0) this.logger.info({ removed }, 'firings past their retention were removed');
  }
}
