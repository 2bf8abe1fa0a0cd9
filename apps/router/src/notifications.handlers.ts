import { notifications, type DesiredInstance } from '@batuta/contracts';
import { OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { Dispatch } from './dispatch/dispatch';
import { Wishes } from './dispatch/wishes';
import { EnvironmentWatch } from './environments/environment-watch';

/** What the other services call out; whoever missed it looks by itself a little later. */
@Controller()
export class NotificationHandlers {
  constructor(
    private readonly dispatch: Dispatch,
    private readonly wishes: Wishes,
    private readonly environments: EnvironmentWatch,
  ) {}

  @OnNotification(notifications.work)
  async work({ environmentID }: { environmentID: string }): Promise<void> {
    this.dispatch.wanted(environmentID);
  }

  @OnNotification(notifications.desired)
  async desired(wish: DesiredInstance & { sessionID: string }): Promise<void> {
    this.wishes.heard(wish);
  }

  @OnNotification(notifications.environmentChanged)
  async environmentChanged({ environmentID }: { environmentID: string }): Promise<void> {
    await this.environments.check([environmentID]);
  }
}
