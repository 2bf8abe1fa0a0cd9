import { notifications, type InstanceWithDesiredState } from '@batuta/contracts';
import { OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { DesiredStateSync } from './desired-state-sync';
import { Dispatcher } from './dispatcher';

/** Handles the notifications of queued instances and of desired states. They may be lost; the polls of DispatchSweeps bound the delay. */
@Controller()
export class DispatchHandlers {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly desiredStates: DesiredStateSync,
  ) {}

  @OnNotification(notifications.work)
  async onWork({ environmentID }: { environmentID: string }): Promise<void> {
    this.dispatcher.onWork(environmentID);
  }

  @OnNotification(notifications.desired)
  async onDesiredState(instance: InstanceWithDesiredState & { sessionID: string }): Promise<void> {
    this.desiredStates.onNotification(instance);
  }
}
