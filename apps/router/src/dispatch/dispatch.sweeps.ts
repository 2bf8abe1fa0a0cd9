import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { DesiredStateSync } from './desired-state-sync';
import { Dispatcher } from './dispatcher';

@Injectable()
export class DispatchSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly dispatcher: Dispatcher,
    private readonly desiredStates: DesiredStateSync,
    @Inject(ROUTER_CONFIG) private readonly config: RouterConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('poll queues', this.config.POLL_MS, () => this.dispatcher.poll());
    this.tasks.every('reconcile desired states', this.config.POLL_MS, () => this.desiredStates.reconcile());
  }
}
