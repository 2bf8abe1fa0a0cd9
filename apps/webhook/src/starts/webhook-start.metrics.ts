import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

@Injectable()
export class WebhookStartMetrics {
  private readonly starts;

  constructor(metrics: Metrics) {
    this.starts = metrics.counter('batuta_hook_starts_total', 'Calls of production URLs by result.', ['result']);
  }

  /** `result`: `started`, `queued`, `replayed`, or the error code of a refusal. */
  countStart(result: string): void {
    this.starts.inc({ result });
  }
}
