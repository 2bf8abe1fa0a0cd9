import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { environmentLoads } from './environment-load.repository';
import { RunDetailsService } from './run-details.service';
import { RunListService } from './run-list.service';
import { StatisticsService } from './statistics.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

/** Requests of the management API about the instances of an account. */
@Controller()
export class RunHandlers {
  constructor(
    private readonly lists: RunListService,
    private readonly details: RunDetailsService,
    private readonly numbers: StatisticsService,
    private readonly store: Store,
  ) {}

  @Handles(execution.runs)
  runs(request: Request['runs']): Reply['runs'] {
    return this.lists.page(request);
  }

  @Handles(execution.runDetails)
  runDetails({ instanceID, viewer }: Request['runDetails']): Reply['runDetails'] {
    return this.details.read(instanceID, viewer);
  }

  @Handles(execution.statistics)
  statistics(request: Request['statistics']): Reply['statistics'] {
    return this.numbers.statistics(request);
  }

  @Handles(execution.load)
  async load({ environmentIDs }: Request['load']): Reply['load'] {
    return { environments: await environmentLoads(this.store, environmentIDs) };
  }
}
