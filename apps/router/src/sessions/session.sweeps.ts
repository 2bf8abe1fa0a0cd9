import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { SessionRepository } from './session.repository';

@Injectable()
export class SessionSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly repository: SessionRepository,
    @Inject(ROUTER_CONFIG) private readonly config: RouterConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('old sessions', this.config.SWEEP_MS, () => this.repository.deleteOld(() => this.tasks.stopping));
  }
}
