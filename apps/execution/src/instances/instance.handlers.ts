import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { auditFeed } from './audit-feed.repository';
import { recordAudit } from './audit-trail.repository';
import { InstanceQueryService } from './instance-query.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class InstanceHandlers {
  constructor(
    private readonly queries: InstanceQueryService,
    private readonly store: Store,
  ) {}

  @Handles(execution.instance)
  instance({ instanceID, viewer }: Request['instance']): Reply['instance'] {
    return this.queries.instance(instanceID, viewer);
  }

  @Handles(execution.logs)
  logs(request: Request['logs']): Reply['logs'] {
    return this.queries.logs(request);
  }

  @Handles(execution.news)
  news({ instanceID, viewer, ...page }: Request['news']): Reply['news'] {
    return this.queries.news(instanceID, viewer, page);
  }

  @Handles(execution.history)
  history({ processID, ...page }: Request['history']): Reply['history'] {
    return this.queries.history(processID, page);
  }

  @Handles(execution.instances)
  instances({ processID, ...page }: Request['instances']): Reply['instances'] {
    return this.queries.newestInstances(processID, page);
  }

  @Handles(execution.audit)
  audit({ processID, ...page }: Request['audit']): Reply['audit'] {
    return this.queries.newestAuditEvents(processID, page);
  }

  @Handles(execution.auditFeed)
  auditFeed(page: Request['auditFeed']): Reply['auditFeed'] {
    return auditFeed(this.store, page);
  }

  @Handles(execution.recordAudit)
  async recordAudit(event: Request['recordAudit']): Reply['recordAudit'] {
    await recordAudit(this.store, event);
    return { ok: true };
  }

  @Handles(execution.inUse)
  async inUse(request: Request['inUse']): Reply['inUse'] {
    return { active: await this.queries.countActive(request) };
  }
}
