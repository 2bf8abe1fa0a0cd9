import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import {
  deleteOldDeliveries,
  endExcessWaiting,
  findNextSubscription,
  OrphanedDeliverySweep,
} from './delivery-retention.repository';
import { DeliveryMetrics } from './delivery.metrics';

/** Maximum number of subscriptions that one sweep handles; the next sweep continues after them. */
const SUBSCRIPTIONS_PER_SWEEP = 200;
const MAX_ROWS_PER_SUBSCRIPTION = 20_000;

/**
 * Deletes deliveries that are past their retention, and all deliveries of subscriptions and processes that were
 * removed. Gives up the oldest waiting deliveries above the backlog limit of their subscription, and all of them when it is closed.
 */
@Injectable()
export class DeliverySweeps implements OnApplicationBootstrap {
  private readonly orphans;
  private position = '';

  constructor(
    private readonly store: Store,
    private readonly tasks: PeriodicTasks,
    private readonly metrics: DeliveryMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.orphans = new OrphanedDeliverySweep(store);
  }

  onApplicationBootstrap(): void {
    this.tasks.every('old event deliveries', this.config.SWEEP_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    const options = { maxRows: MAX_ROWS_PER_SUBSCRIPTION, isStopping: () => this.tasks.stopping };
    let [deleted, dropped] = [await this.orphans.sweep(), 0];
    for (let looked = 0; looked < SUBSCRIPTIONS_PER_SWEEP && !this.tasks.stopping; looked += 1) {
      const id = await findNextSubscription(this.store, this.position);
      this.position = id ?? '';
      if (id === undefined) break;
      deleted += await deleteOldDeliveries(this.store, id, options);
      dropped += await endExcessWaiting(this.store, id, this.config.EVENT_BACKLOG, options);
    }
    this.metrics.countDropped(dropped);
    if (deleted + dropped > 0) this.logger.info({ deleted, dropped }, 'old deliveries of events were removed');
  }
}
