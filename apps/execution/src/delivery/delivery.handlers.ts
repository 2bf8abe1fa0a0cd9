import { execution, notifications, type RepliesOf, type RequestsOf, type Work } from '@batuta/contracts';
import { Handles, HandlesStreaming, OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { ClaimService } from './claim.service';
import { ReportService } from './report.service';
import { DeliveryService } from './delivery.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

/** What routers ask for their agents. */
@Controller()
export class DeliveryHandlers {
  constructor(
    private readonly claims: ClaimService,
    private readonly delivery: DeliveryService,
    private readonly reports: ReportService,
  ) {}

  @HandlesStreaming(execution.claim)
  async claim(
    { environmentID, sessionID, limit, waitMilliseconds = 0, inParts }: Request['claim'],
    reply: (part: { work: Work[] }) => void,
  ): Reply['claim'] {
    const ahead = inParts && ((work: Work[]) => reply({ work }));
    return { work: await this.claims.claim(environmentID, { sessionID, limit, ahead }, waitMilliseconds) };
  }

  @OnNotification(notifications.work)
  work({ environmentID, from }: { environmentID: string; from?: string }): Promise<void> {
    return this.claims.hinted(environmentID, from);
  }

  @Handles(execution.grant)
  grant({ instanceID, fence, sessionID }: Request['grant']): Reply['grant'] {
    return this.delivery.grant(instanceID, fence, sessionID);
  }

  @Handles(execution.release)
  async release({ sessionID, instances }: Request['release']): Reply['release'] {
    return { released: await this.delivery.release(sessionID, instances) };
  }

  @Handles(execution.report)
  report(report: Request['report']): Reply['report'] {
    return this.reports.report(report);
  }

  @Handles(execution.adopt)
  adopt({ sessionID, previousSessionID, held }: Request['adopt']): Reply['adopt'] {
    return this.delivery.adopt(sessionID, previousSessionID, held);
  }

  @Handles(execution.desired)
  async desired({ sessionIDs }: Request['desired']): Reply['desired'] {
    return { instances: await this.delivery.desired(sessionIDs) };
  }
}
