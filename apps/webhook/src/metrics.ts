import type { Store } from '@batuta/database';
import type { Metrics } from '@batuta/observability';

export class WebhookMetrics {
  readonly captures;
  readonly waits;
  private readonly starts;

  constructor(metrics: Metrics, store: Store) {
    this.captures = metrics.counter('batuta_hook_captures_total', 'Payloads kept of development URLs.');
    this.waits = metrics.counter('batuta_hook_waits_total', 'Places for waiting calls that gateways asked for.', [
      'granted',
    ]);
    this.starts = metrics.counter('batuta_hook_starts_total', 'Calls of production URLs, by how they ended.', [
      'result',
    ]);
    metrics.gauge('batuta_hook_waiting', 'Places for waiting calls that gateways hold, of all processes.', async () => {
      const sql =
        'SELECT CAST(COALESCE(SUM(places), 0) AS SIGNED) AS n FROM waiting_call WHERE lease_until > UTC_TIMESTAMP(3)';
      return (await store.row<{ n: number }>(sql).catch(() => undefined))?.n ?? NaN;
    });
  }

  /** `result`: `started`, `queued`, `replayed`, or the code of the refusal. */
  startEnded(result: string): void {
    this.starts.inc({ result });
  }
}
