import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { InstanceQueryService } from './instance-query.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class InstanceHandlers {
  constructor(private readonly queries: InstanceQueryService) {}

  @Handles(execution.instance)
  instance({ instanceID, viewer }: Request['instance']): Reply['instance'] {
    return this.queries.instance(instanceID, viewer);
  }

  @Handles(execution.logs)
  async logs({ instanceID, viewer, limit, after }: Request['logs']): Reply['logs'] {
    return { logs: await this.queries.logs(instanceID, viewer, limit, after) };
  }

  @Handles(execution.news)
  news({ instanceID, viewer, after, limit }: Request['news']): Reply['news'] {
    return this.queries.news(instanceID, viewer, after, limit);
  }

  @Handles(execution.history)
  async history({ processID, from, to, limit }: Request['history']): Reply['history'] {
    return { executions: await this.queries.history(processID, from, to, limit) };
  }

  @Handles(execution.instances)
  async instances({ processID, limit, startedBy }: Request['instances']): Reply['instances'] {
    return { instances: await this.queries.newest(processID, limit, startedBy) };
  }

  @Handles(execution.audit)
  async audit({ processID, limit, startedBy }: Request['audit']): Reply['audit'] {
    return { events: await this.queries.audit(processID, limit, startedBy) };
  }

  @Handles(execution.inUse)
  async inUse(request: Request['inUse']): Reply['inUse'] {
    return { active: await this.queries.inUse(request) };
  }
}
