import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

/** The metrics of the service's own work. Dashboards read their names and labels. */
@Injectable()
export class ExecutionMetrics {
  readonly accepted;
  readonly batchSize;
  readonly claimed;
  readonly ended;
  readonly reports;
  readonly lost;

  constructor(metrics: Metrics) {
    this.accepted = metrics.counter('batuta_starts_accepted_total', 'Starts accepted.');
    this.batchSize = metrics.summary('batuta_start_batch_size', 'Starts that shared one transaction.');
    this.claimed = metrics.counter('batuta_instances_claimed_total', 'Instances claimed by routers.');
    this.ended = metrics.counter('batuta_instances_ended_total', 'Instances that ended.', ['outcome']);
    this.reports = metrics.counter('batuta_reports_total', 'Reports of agents, by result.', ['verdict']);
    this.lost = metrics.counter('batuta_instances_lost_total', 'Instances whose agent was lost.', ['queued']);
  }
}
