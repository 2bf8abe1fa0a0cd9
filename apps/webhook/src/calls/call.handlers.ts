import { webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { CaptureService } from './capture.service';
import { StartService } from './start.service';
import { WaitingService } from './waiting.service';

type Request = RequestsOf<typeof webhook>;
type Reply = RepliesOf<typeof webhook>;

/** What the gateway asks for its callers. */
@Controller()
export class CallHandlers {
  constructor(
    private readonly captures: CaptureService,
    private readonly starts: StartService,
    private readonly waiting: WaitingService,
  ) {}

  @Handles(webhook.capture)
  async capture(call: Request['capture']): Reply['capture'] {
    return { captured: true, captureId: await this.captures.capture(call) };
  }

  @Handles(webhook.start)
  start(call: Request['start']): Reply['start'] {
    return this.starts.start(call);
  }

  @Handles(webhook.wait)
  async wait(asked: Request['wait']): Reply['wait'] {
    return { granted: await this.waiting.wait(asked) };
  }

  @Handles(webhook.keep)
  async keep(kept: Request['keep']): Reply['keep'] {
    return { gone: await this.waiting.keep(kept) };
  }
}
