import { webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { WebhookStartService } from './webhook-start.service';

/** Calls of production URLs. */
@Controller()
export class WebhookStartHandlers {
  constructor(private readonly starts: WebhookStartService) {}

  @Handles(webhook.start)
  start(call: RequestsOf<typeof webhook>['start']): RepliesOf<typeof webhook>['start'] {
    return this.starts.start(call);
  }
}
