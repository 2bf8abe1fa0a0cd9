import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { PermitService } from './permit.service';

/** Deletes the leases of gateway replicas that ended without returning their permits. */
@Injectable()
export class PermitSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly permits: PermitService,
    private readonly tasks: PeriodicTasks,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('expired permit leases', this.config.SWEEP_MS, async () => {
      const removed = await this.permits.removeExpired();
      if (removed > 0) this.logger.info({ removed }, 'expired leases of permits were removed');
    });
  }
}
