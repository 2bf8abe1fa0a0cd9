import type { ErrorCode } from '@batuta/errors';
import type { LoggedAnswer } from '@batuta/http';
import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

/** The metrics of the gateway. */
@Injectable()
export class GatewayMetrics {
  private readonly requests;
  private readonly seconds;
  private readonly errors;
  private readonly refusals;
  private readonly starts;
  private readonly waits;

  constructor(private readonly metrics: Metrics) {
    this.requests = metrics.counter('gateway_requests_total', 'Requests by route and status', [
      'method',
      'route',
      'status',
    ]);
    this.seconds = metrics.histogram('gateway_request_seconds', 'Time from request to answer', ['method', 'route']);
    this.errors = metrics.counter('gateway_errors_total', 'Errors by code and route', ['code', 'route']);
    this.refusals = metrics.counter('gateway_rate_refusals_total', 'Requests refused with RATE_LIMITED', ['limit']);
    this.starts = metrics.counter(
      'gateway_starts_total',
      'Starts by outcome: the status of the answer, or the error code',
      ['outcome'],
    );
    this.waits = metrics.counter('gateway_waits_total', 'Calls that waited for their process, by how the wait ended', [
      'outcome',
    ]);
  }

  /** `read` returns the number of waiting callers, also of those whose start is not accepted yet; each scrape calls it. */
  watchWaiting(read: () => number): void {
    this.metrics.gauge('gateway_waiting_calls', 'Callers that wait for the answer of their process', read);
  }

  countResponse({ method, route, status, seconds, traceId }: LoggedAnswer): void {
    this.requests.inc({ method, route, status });
    this.seconds.observe({ method, route }, seconds, traceId);
  }

  /** Counts an answer with an error envelope; `route` is the pattern of the path, and `none` for a path without a route. */
  countError(code: ErrorCode, route: string): void {
    this.errors.inc({ code, route });
  }

  /**
   * `requests`: the rate limit of a credential, a company or a webhook URL is used up. `credentials`: the address has sent too many wrong
   * credentials. `streams`: the account has too many event streams.
   */
  countRefusal(limit: 'requests' | 'credentials' | 'streams'): void {
    this.refusals.inc({ limit });
  }

  /** `outcome`: `started`, `queued`, `replayed`, or the error code. */
  countStart(outcome: string): void {
    this.starts.inc({ outcome });
  }

  /**
   * `answered`: the caller was answered, also without an answer of the process at its deadline. `left`: the client disconnected. `full`: there
   * was no permit, or the webhook service did not reply. Not counted: replays, queued starts, and calls beyond
   * MOST_WAITING_CALLS or COMPANY_WAITING_CALLS.
   */
  countWait(outcome: 'answered' | 'left' | 'full'): void {
    this.waits.inc({ outcome });
  }
}
