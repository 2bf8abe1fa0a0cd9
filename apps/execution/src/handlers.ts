import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { AwaitedService } from './answer/awaited.service';
import { ControlService } from './control/control.service';
import { CreditService } from './credit/credit.service';
import { ReadingService } from './instance/reading.service';
import { dryRun } from './start/dry-run';
import { StartService } from './start/start.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

/** What gateway and console ask of executions. */
@Controller()
export class CallerHandlers {
  constructor(
    private readonly starts: StartService,
    private readonly controls: ControlService,
    private readonly reading: ReadingService,
    private readonly waiting: AwaitedService,
    private readonly creditService: CreditService,
    private readonly store: Store,
  ) {}

  @Handles(execution.start)
  start(request: Request['start']): Reply['start'] {
    return this.starts.start(request);
  }

  @Handles(execution.dryRun)
  dryRun(request: Request['dryRun']): Reply['dryRun'] {
    return dryRun(this.store, this.creditService, request);
  }

  @Handles(execution.control)
  async control({ instanceID, action, viewer, executor }: Request['control']): Reply['control'] {
    await this.controls.control(instanceID, action, viewer, executor);
    return { ok: true, action };
  }

  @Handles(execution.instance)
  instance({ instanceID, viewer }: Request['instance']): Reply['instance'] {
    return this.reading.instance(instanceID, viewer);
  }

  @Handles(execution.logs)
  async logs({ instanceID, viewer, limit, after }: Request['logs']): Reply['logs'] {
    return { logs: await this.reading.logs(instanceID, viewer, limit, after) };
  }

  @Handles(execution.news)
  news({ instanceID, viewer, after, limit }: Request['news']): Reply['news'] {
    return this.reading.news(instanceID, viewer, after, limit);
  }

  @Handles(execution.awaited)
  async awaited({ instanceIDs }: Request['awaited']): Reply['awaited'] {
    return { states: await this.waiting.states(instanceIDs) };
  }

  @Handles(execution.history)
  async history({ processID, from, to, limit }: Request['history']): Reply['history'] {
    return { executions: await this.reading.history(processID, from, to, limit) };
  }

  @Handles(execution.instances)
  async instances({ processID, limit }: Request['instances']): Reply['instances'] {
    return { instances: await this.reading.newest(processID, limit) };
  }

  @Handles(execution.audit)
  async audit({ processID, limit }: Request['audit']): Reply['audit'] {
    return { events: await this.reading.audit(processID, limit) };
  }

  @Handles(execution.inUse)
  async inUse(request: Request['inUse']): Reply['inUse'] {
    return { active: await this.reading.inUse(request) };
  }

  @Handles(execution.credits)
  async credits({ companyIDs }: Request['credits']): Reply['credits'] {
    return { balances: await this.creditService.balances(companyIDs) };
  }

  @Handles(execution.setCredits)
  async setCredits({ companyID, credits }: Request['setCredits']): Reply['setCredits'] {
    return { balance: await this.creditService.set(companyID, credits) };
  }
}
