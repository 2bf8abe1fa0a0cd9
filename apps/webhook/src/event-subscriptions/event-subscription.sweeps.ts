import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { createOrphanedSubscriptionSweep } from './orphaned-subscriptions';

/** Removes the event subscriptions of deleted processes when the notification of the deletion was lost. */
@Injectable()
export class EventSubscriptionSweeps implements OnApplicationBootstrap {
  private readonly orphans;

  constructor(
    store: Store,
    private readonly tasks: PeriodicTasks,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.orphans = createOrphanedSubscriptionSweep(store);
  }

  onApplicationBootstrap(): void {
    this.tasks.every('event subscriptions of deleted processes', this.config.SWEEP_MS, async () => {
      const removed = await this.orphans.sweep();
      if (removed > 0) this.logger.info({ removed }, 'event subscriptions of deleted processes were removed');
    });
  }
}
