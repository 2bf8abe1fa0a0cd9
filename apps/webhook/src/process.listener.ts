import { hints } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Hears } from '@batuta/messaging';
import { Controller, Inject } from '@nestjs/common';
import { removeOrphans } from './orphans';

@Controller()
export class ProcessListener {
  constructor(@Inject(Store) private readonly store: Store) {}

  @Hears(hints.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    await removeOrphans(this.store, processID);
  }
}
