import { Metrics, WAIT_SECONDS_BUCKETS } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

/** The metrics of the router's own work. Dashboards read their names and labels. */
@Injectable()
export class RouterMetrics {
  /** `offered` for each offer, and then `accepted`, `rejected` or `unanswered`, unless the session ends before. */
  readonly offers;
  readonly grants;
  /** From the acceptance of the start to the reply that grants it; an adopted instance is not measured. */
  readonly dispatchSeconds;
  readonly reports;
  readonly pictureParts;
  /** Also instances that are released at once because the agent has no more room or its session has ended. */
  readonly claimedInstances;
  /** Attempts of calls that failed and are repeated. A failed claim is not repeated, but its group claims again later. */
  readonly retries;
  /**
   * By HTTP status, before the connection becomes a WebSocket; also of agents whose sessions were not opened after their hello: 401 = their key
   * was replaced or their environment deleted meanwhile, 503 = the database or execution failed or took too long, or execution refused the resume.
   */
  readonly refusedConnections;
  /**
   * Of welcomed sessions. `reason` = the code of the CloseReason that the router sent, or `SILENT`. Without a reason of the router, the close code of
   * WebSocket: that of the agent (`OTHER` = 3000 and more), or 1006 for a connection that was lost, or terminated because the agent left too many
   * bytes unread.
   */
  readonly sessionsEnded;

  constructor(metrics: Metrics) {
    this.offers = metrics.counter('batuta_router_offers_total', 'Offers, by result.', ['result']);
    this.grants = metrics.counter('batuta_router_grants_total', 'Replies to grant requests.', ['result']);
    this.dispatchSeconds = metrics.histogram(
      'batuta_router_dispatch_seconds',
      'From the acceptance of a start to its grant.',
      [],
      WAIT_SECONDS_BUCKETS,
    );
    this.reports = metrics.counter('batuta_router_reports_total', 'Reports of agents, by acknowledgement.', ['result']);
    this.pictureParts = metrics.counter(
      'batuta_router_evidence_parts_total',
      'Parts of pictures, accepted or by the code of the refusal.',
      ['result'],
    );
    this.claimedInstances = metrics.counter('batuta_router_claimed_total', 'Instances that claims returned.');
    this.retries = metrics.counter('batuta_router_retries_total', 'Calls of execution that failed and are repeated.', [
      'call',
    ]);
    this.refusedConnections = metrics.counter(
      'batuta_router_refused_total',
      'Connections of agents that were refused, by status.',
      ['status'],
    );
    this.sessionsEnded = metrics.counter(
      'batuta_router_sessions_ended_total',
      'Welcomed sessions that ended, by reason.',
      ['reason'],
    );
  }
}
