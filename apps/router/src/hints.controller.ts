import { hints, type DesiredInstance } from '@batuta/contracts';
import { Hears } from '@batuta/messaging';
import { Controller, Inject } from '@nestjs/common';
import { Dispatch } from './dispatch/dispatch';
import { Wishes } from './dispatch/wishes';
import { EnvironmentWatch } from './environments/environment-watch';

/** What the other services call out; whoever missed it looks by itself a little later. */
@Controller()
export class HintsController {
  constructor(
    @Inject(Dispatch) private readonly dispatch: Dispatch,
    @Inject(Wishes) private readonly wishes: Wishes,
    @Inject(EnvironmentWatch) private readonly environments: EnvironmentWatch,
  ) {}

  @Hears(hints.work)
  async work({ environmentID }: { environmentID: string }): Promise<void> {
    this.dispatch.wanted(environmentID);
  }

  @Hears(hints.desired)
  async desired(wish: DesiredInstance & { sessionID: string }): Promise<void> {
    this.wishes.heard(wish);
  }

  @Hears(hints.environmentChanged)
  async environmentChanged({ environmentID }: { environmentID: string }): Promise<void> {
    await this.environments.check([environmentID]);
  }
}
