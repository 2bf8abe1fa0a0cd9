import { webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { OriginService } from './origin.service';

type Request = RequestsOf<typeof webhook>;
type Reply = RepliesOf<typeof webhook>;

/** What the console asks of origins. */
@Controller()
export class OriginHandlers {
  constructor(private readonly origins: OriginService) {}

  @Handles(webhook.origins)
  async ofProcess({ processID }: Request['origins']): Reply['origins'] {
    return { origins: await this.origins.ofProcess(processID) };
  }

  @Handles(webhook.createOrigin)
  create({ processID, draft }: Request['createOrigin']): Reply['createOrigin'] {
    return this.origins.create(processID, draft);
  }

  @Handles(webhook.origin)
  find(asked: Request['origin']): Reply['origin'] {
    return 'id' in asked ? this.origins.find(asked.id) : this.origins.ofCapture(asked.captureID);
  }

  @Handles(webhook.changeOrigin)
  change({ id, change }: Request['changeOrigin']): Reply['changeOrigin'] {
    return this.origins.change(id, change);
  }

  @Handles(webhook.removeOrigin)
  async remove({ id }: Request['removeOrigin']): Reply['removeOrigin'] {
    await this.origins.remove(id);
    return { ok: true };
  }

  @Handles(webhook.rotate)
  rotate({ id, url }: Request['rotate']): Reply['rotate'] {
    return this.origins.rotate(id, url);
  }
}
