import { webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { PermitService } from './permit.service';

type Request = RequestsOf<typeof webhook>;
type Reply = RepliesOf<typeof webhook>;

/** Requests of gateway replicas about permits. */
@Controller()
export class PermitHandlers {
  constructor(private readonly permits: PermitService) {}

  @Handles(webhook.acquirePermits)
  async acquire(request: Request['acquirePermits']): Reply['acquirePermits'] {
    return { granted: await this.permits.acquire(request) };
  }

  @Handles(webhook.renewPermits)
  async renew(renewal: Request['renewPermits']): Reply['renewPermits'] {
    return { gone: await this.permits.renew(renewal) };
  }
}
