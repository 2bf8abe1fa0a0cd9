import type { FiringResult } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Metrics, WAIT_SECONDS_BUCKETS } from '@batuta/observability';
import { traceToSend } from '@batuta/tracing';
import { Injectable } from '@nestjs/common';

@Injectable()
export class FiringMetrics {
  private readonly firings;
  private readonly delay;
  private readonly lag;

  constructor(metrics: Metrics, store: Store) {
    this.firings = metrics.counter('batuta_firings_total', 'Nominal times of schedules, by result.', ['result']);
    this.delay = metrics.summary('batuta_firing_delay_seconds', 'From the nominal time to the accepted start.');
    // The lag is the delay as a histogram, because quantiles over all replicas need buckets, which a summary lacks.
    this.lag = metrics.histogram(
      'batuta_firing_lag_seconds',
      'From the nominal time to the accepted start.',
      [],
      WAIT_SECONDS_BUCKETS,
    );
    const count = async (sql: string) => (await store.row<{ n: number }>(sql).catch(() => undefined))?.n ?? NaN;
    metrics.gauge('batuta_firings_pending', 'Recorded firings that have no result yet.', () =>
      count('SELECT COUNT(*) AS n FROM schedule_firing WHERE next_attempt_at IS NOT NULL'),
    );
    metrics.gauge('batuta_firings_backlog', 'Outages whose missed times are not all recorded yet.', () =>
      count('SELECT COUNT(*) AS n FROM schedule_backlog'),
    );
  }

  /** Counts firings that have their final result. `delayMs`: from the nominal time to the start, if there was a start. */
  recordResult(result: Exclude<FiringResult, 'pending'>, firings: number, delayMs?: number): void {
    this.firings.inc({ result }, firings);
    if (delayMs === undefined) return;
    this.delay.observe(delayMs / 1_000);
    this.lag.observe({}, delayMs / 1_000, traceToSend()?.traceID);
  }
}
