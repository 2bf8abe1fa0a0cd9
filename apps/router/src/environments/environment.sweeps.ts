import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { EnvironmentWatch } from './environment-watch';

@Injectable()
export class EnvironmentSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly environments: EnvironmentWatch,
    @Inject(ROUTER_CONFIG) private readonly config: RouterConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('check environments', this.config.ENVIRONMENTS_MS, () => this.environments.checkAll());
  }
}
