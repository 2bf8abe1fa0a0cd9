import type { DisabledReason } from '@batuta/contracts';
import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

/**
 * `dead`: the attempt failed and ended its delivery. `retry`: it failed and did not end it. `dropped`: the delivery was given up while it waited for
 * an attempt.
 */
export type DeliveryAttemptResult = 'delivered' | 'retry' | 'dead' | 'dropped';

@Injectable()
export class DeliveryMetrics {
  private readonly attempts;
  private readonly duration;
  private readonly disabled;

  constructor(metrics: Metrics) {
    const help = 'Attempts to deliver events to subscriptions, by result.';
    this.attempts = metrics.counter('batuta_event_deliveries_total', help, ['result']);
    this.duration = metrics.histogram('batuta_event_attempt_seconds', 'Duration of attempts to deliver events.');
    const disabledHelp = 'Event subscriptions that the service switched off.';
    this.disabled = metrics.counter('batuta_event_subscriptions_disabled_total', disabledHelp, ['reason']);
  }

  countAttempt(result: DeliveryAttemptResult, durationMs: number): void {
    this.attempts.inc({ result });
    this.duration.observe({}, durationMs / 1_000);
  }

  countDropped(deliveries: number): void {
    if (deliveries > 0) this.attempts.inc({ result: 'dropped' }, deliveries);
  }

  countDisabled(reason: DisabledReason): void {
    this.disabled.inc({ reason });
  }
}
