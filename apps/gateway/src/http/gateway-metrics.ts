import type { Metrics } from '@batuta/observability';

/** The figures of the gateway, named once. */
export class GatewayMetrics {
  private readonly requests;
  private readonly seconds;
  private readonly refusals;
  private readonly starts;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter('gateway_requests_total', 'Requests by route and status', [
      'method',
      'route',
      'status',
    ]);
    this.seconds = metrics.histogram('gateway_request_seconds', 'Time from request to answer', ['method', 'route']);
    this.refusals = metrics.counter('gateway_rate_refusals_total', 'Requests refused with RATE_LIMITED', ['limit']);
    this.starts = metrics.counter('gateway_starts_total', 'Starts by outcome: what was answered, or the error code', [
      'outcome',
    ]);
  }

  answered(method: string, route: string, status: number | 'aborted', seconds: number): void {
    this.requests.inc({ method, route, status });
    this.seconds.observe({ method, route }, seconds);
  }

  refused(limit: 'requests' | 'credentials'): void {
    this.refusals.inc({ limit });
  }

  startEnded(outcome: string): void {
    this.starts.inc({ outcome });
  }
}
