import { BATCH_ITEMS_BUCKETS, Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

/** The metrics of the service's own work. Dashboards read their names and labels. */
@Injectable()
export class ExecutionMetrics {
  /** Without repeated starts, which get the reply of the first one. */
  readonly acceptedStarts;
  readonly startBatchSize;
  readonly batchItems;
  /** Also instances that a pending claim got at their acceptance. An instance counts again when it is claimed after a requeue. */
  readonly claimedInstances;
  /** Also instances that ended because a report was missing or could not be stored. */
  readonly instancesEndedByReport;
  readonly reports;
  /** Instances that the sweep has requeued (`queued` = true) or ended. The instances that an agent dropped at a resume do not count. */
  readonly lostInstances;

  constructor(metrics: Metrics) {
    this.acceptedStarts = metrics.counter('batuta_starts_accepted_total', 'Starts accepted.');
    this.startBatchSize = metrics.summary('batuta_start_batch_size', 'Starts that shared one transaction.');
    this.batchItems = metrics.histogram(
      'batuta_batch_items',
      'Items that shared one transaction.',
      ['kind'],
      BATCH_ITEMS_BUCKETS,
    );
    this.claimedInstances = metrics.counter('batuta_instances_claimed_total', 'Instances claimed by routers.');
    this.instancesEndedByReport = metrics.counter('batuta_instances_ended_total', 'Instances that ended by a report.', [
      'outcome',
    ]);
    this.reports = metrics.counter('batuta_reports_total', 'Reports of agents, by result.', ['result']);
    this.lostInstances = metrics.counter('batuta_instances_lost_total', 'Instances whose agent was lost.', ['queued']);
    // Each series begins with 0: rate() of Prometheus misses the increase that creates a series, and that increase may be the loss of all agents.
    for (const queued of ['true', 'false']) this.lostInstances.inc({ queued }, 0);
  }

  /** Wraps `processBatch` so that each call records the number of its items. */
  withBatchItems<Item, Result>(
    kind: 'starts' | 'grants' | 'reports',
    processBatch: (items: Item[], waitsForLocks: boolean) => Promise<Result>,
  ): (items: Item[], waitsForLocks: boolean) => Promise<Result> {
    return (items, waitsForLocks) => {
      this.batchItems.observe({ kind }, items.length);
      return processBatch(items, waitsForLocks);
    };
  }
}
