import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { isTracing, runInSpan } from '@batuta/tracing';
import { Controller } from '@nestjs/common';
import { AcceptanceService } from './acceptance.service';
import { DryRunService } from './dry-run.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class AcceptanceHandlers {
  constructor(
    private readonly acceptance: AcceptanceService,
    private readonly dryRuns: DryRunService,
  ) {}

  @Handles(execution.start, { raw: true })
  start(request: Request['start']): Reply['start'] {
    const { instanceID, processID } = request;
    const attributes = { 'batuta.instance.id': instanceID, 'batuta.process.id': processID };
    return isTracing()
      ? runInSpan({ name: 'acceptance', attributes }, () => this.acceptance.start(request))
      : this.acceptance.start(request);
  }

  @Handles(execution.dryRun, { raw: true })
  dryRun(request: Request['dryRun']): Reply['dryRun'] {
    return this.dryRuns.dryRun(request);
  }
}
