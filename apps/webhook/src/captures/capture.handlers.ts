import { webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { CaptureIntakeService } from './capture-intake.service';
import { CaptureStartService } from './capture-start.service';
import { CaptureService } from './capture.service';
import { PreviewService } from './preview.service';

type Request = RequestsOf<typeof webhook>;
type Reply = RepliesOf<typeof webhook>;

/** Calls of development URLs, and requests of the console about captures. */
@Controller()
export class CaptureHandlers {
  constructor(
    private readonly intake: CaptureIntakeService,
    private readonly captures: CaptureService,
    private readonly previews: PreviewService,
    private readonly starts: CaptureStartService,
  ) {}

  @Handles(webhook.capture)
  async capture(call: Request['capture']): Reply['capture'] {
    return { captured: true, captureId: await this.intake.capture(call) };
  }

  @Handles(webhook.captures)
  async listOfOrigin({ id }: Request['captures']): Reply['captures'] {
    return { captures: await this.captures.listOfOrigin(id) };
  }

  @Handles(webhook.removeCaptures)
  async removeAll({ id, ...by }: Request['removeCaptures']): Reply['removeCaptures'] {
    return { removed: await this.captures.removeAll(id, by) };
  }

  @Handles(webhook.findCapture)
  find({ captureID }: Request['findCapture']): Reply['findCapture'] {
    return this.captures.find(captureID);
  }

  @Handles(webhook.removeCapture)
  async remove({ captureID, ...by }: Request['removeCapture']): Reply['removeCapture'] {
    await this.captures.remove(captureID, by);
    return { ok: true };
  }

  @Handles(webhook.preview)
  preview({ captureID }: Request['preview']): Reply['preview'] {
    return this.previews.preview(captureID);
  }

  @Handles(webhook.debug)
  debug(request: Request['debug']): Reply['debug'] {
    return this.starts.debug(request);
  }

  @Handles(webhook.replay)
  replay(request: Request['replay']): Reply['replay'] {
    return this.starts.replay(request);
  }
}
