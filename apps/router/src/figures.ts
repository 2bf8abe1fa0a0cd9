import type { Metrics } from '@batuta/observability';

/** The router's figures. Times in seconds. */
export class RouterFigures {
  readonly offers;
  readonly grants;
  readonly reports;
  readonly claimed;
  readonly retries;
  readonly refusedConnections;
  readonly sessionsEnded;

  constructor(metrics: Metrics) {
    this.offers = metrics.counter('batuta_router_offers_total', 'Offers, by what became of them.', ['result']);
    this.grants = metrics.counter('batuta_router_grants_total', 'Answers to asked grants.', ['result']);
    this.reports = metrics.counter('batuta_router_reports_total', 'Agents’ reports, by their answer.', ['result']);
    this.claimed = metrics.counter('batuta_router_claimed_total', 'Instances that claims brought.');
    this.retries = metrics.counter('batuta_router_retries_total', 'Calls of execution made again.', ['call']);
    this.refusedConnections = metrics.counter('batuta_router_refused_total', 'Connections refused, by status.', [
      'status',
    ]);
    this.sessionsEnded = metrics.counter('batuta_router_sessions_ended_total', 'Sessions that ended, by reason.', [
      'reason',
    ]);
  }
}
