import { Store } from '@batuta/database';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { addMissedShareEvents } from './missed-share-events';

/** Adds the rows of `share_event` that the previous release does not write. The next release drops this sweep. */
@Injectable()
export class MissedShareEventSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly store: Store,
    @Inject(EXECUTION_CONFIG) private readonly config: ExecutionConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('missed share events', this.config.RETENTION_SWEEP_MS, () =>
      addMissedShareEvents(this.store, () => this.tasks.stopping),
    );
  }
}
