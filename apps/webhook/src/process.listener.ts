import { notifications } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { removeOrphans } from './orphans';

@Controller()
export class ProcessListener {
  constructor(private readonly store: Store) {}

  @OnNotification(notifications.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    await removeOrphans(this.store, processID);
  }
}
