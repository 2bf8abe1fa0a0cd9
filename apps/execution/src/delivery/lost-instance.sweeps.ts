import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { LostInstanceService } from './lost-instance.service';

@Injectable()
export class LostInstanceSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly lostInstances: LostInstanceService,
    @Inject(EXECUTION_CONFIG) private readonly config: ExecutionConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('lost instances', this.config.SWEEP_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    const instanceIDs = await this.lostInstances.sweep(this.config.CLAIM_SECONDS);
    if (instanceIDs.length > 0) this.logger.warn({ instanceIDs }, 'instances of lost agents were requeued or ended');
  }
}
