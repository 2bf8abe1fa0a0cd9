import { notifications } from '@batuta/contracts';
import { OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { EnvironmentWatch } from './environment-watch';

/** Handles notifications of the console. They may be lost; EnvironmentSweeps bounds the delay. */
@Controller()
export class EnvironmentHandlers {
  constructor(private readonly environments: EnvironmentWatch) {}

  @OnNotification(notifications.environmentChanged)
  async environmentChanged({ environmentID }: { environmentID: string }): Promise<void> {
    await this.environments.check([environmentID]);
  }
}
