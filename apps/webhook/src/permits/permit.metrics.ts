import { Store } from '@batuta/database';
import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

const COUNT_HELD_PERMITS =
  'SELECT CAST(COALESCE(SUM(places), 0) AS SIGNED) AS n FROM waiting_call WHERE lease_until > UTC_TIMESTAMP(3)';

@Injectable()
export class PermitMetrics {
  private readonly requests;

  constructor(metrics: Metrics, store: Store) {
    this.requests = metrics.counter('batuta_hook_waits_total', 'Permits for waiting calls that gateways requested.', [
      'granted',
    ]);
    metrics.gauge(
      'batuta_hook_waiting',
      'Permits for waiting calls that gateways hold, of all processes.',
      async () => {
        return (await store.row<{ n: number }>(COUNT_HELD_PERMITS).catch(() => undefined))?.n ?? NaN;
      },
    );
  }

  /** Counts permits and not requests: `granted` of the wanted ones were leased, and the others were not. */
  countRequested(want: number, granted: number): void {
    this.requests.inc({ granted: 'true' }, granted);
    this.requests.inc({ granted: 'false' }, want - granted);
  }
}
