import { notifications, webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles, OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { OriginService } from './origin.service';

type Request = RequestsOf<typeof webhook>;
type Reply = RepliesOf<typeof webhook>;

/** Requests of the console about origins, and notifications about their processes. */
@Controller()
export class OriginHandlers {
  constructor(private readonly origins: OriginService) {}

  @Handles(webhook.origins)
  async listOfProcess({ processID }: Request['origins']): Reply['origins'] {
    return { origins: await this.origins.listOfProcess(processID) };
  }

  @Handles(webhook.createOrigin)
  create({ processID, draft, ...by }: Request['createOrigin']): Reply['createOrigin'] {
    return this.origins.create(processID, draft, by);
  }

  @Handles(webhook.origin)
  find(request: Request['origin']): Reply['origin'] {
    return 'id' in request ? this.origins.find(request.id) : this.origins.findByCapture(request.captureID);
  }

  @Handles(webhook.changeOrigin)
  change({ id, change, ...by }: Request['changeOrigin']): Reply['changeOrigin'] {
    return this.origins.change(id, change, by);
  }

  @Handles(webhook.removeOrigin)
  async remove({ id, ...by }: Request['removeOrigin']): Reply['removeOrigin'] {
    await this.origins.remove(id, by);
    return { ok: true };
  }

  @Handles(webhook.rotate)
  rotate({ id, url, ...by }: Request['rotate']): Reply['rotate'] {
    return this.origins.rotate(id, url, by);
  }

  @OnNotification(notifications.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    await this.origins.removeOrphans(processID);
  }
}
