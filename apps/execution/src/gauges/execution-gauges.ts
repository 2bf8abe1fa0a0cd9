import { Store } from '@batuta/database';
import { Metrics } from '@batuta/observability';
import { GaugeRounds, type MeasuredGauges } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { evidenceTotals, queueTotals } from './gauge.repository';

/** Time to read all queued instances, also those of a full queue. */
const STATEMENT_TIME_LIMIT_MS = 30_000;
const MEGABYTE = 1024 * 1024;

/**
 * Lengths and ages of queues, and bytes of pictures. The label `agents` says whether the environment has a connected
 * agent: only a queue with agents shows that Batuta or the agents are too slow. No label names an environment.
 */
@Injectable()
export class ExecutionGauges implements OnApplicationBootstrap, MeasuredGauges {
  private readonly queued;
  private readonly oldest;
  private readonly evidenceBytes;
  private readonly evidenceRatio;
  private readonly store: Store;

  constructor(
    store: Store,
    metrics: Metrics,
    private readonly rounds: GaugeRounds,
    @Inject(EXECUTION_CONFIG) private readonly config: Pick<ExecutionConfig, 'QUOTA_EVIDENCE_MEGABYTES'>,
  ) {
    this.store = store.withStatementLimit(STATEMENT_TIME_LIMIT_MS);
    this.queued = metrics.gauges('batuta_queue_instances', 'Queued instances.', ['agents']);
    this.oldest = metrics.gauges('batuta_queue_oldest_seconds', 'Age of the oldest queued instance.', ['agents']);
    this.evidenceBytes = metrics.gauges('batuta_evidence_bytes', 'Bytes of pictures of all companies.', []);
    const help = 'Part of its quota of pictures that the company with the most uses.';
    this.evidenceRatio = metrics.gauges('batuta_evidence_quota_ratio', help, []);
  }

  onApplicationBootstrap(): void {
    this.rounds.add('execution gauges', this);
  }

  async measure(): Promise<void> {
    const totals = await queueTotals(this.store);
    for (const online of [true, false]) {
      const { queued, oldestSeconds } = totals.find((one) => one.online === online) ?? { queued: 0, oldestSeconds: 0 };
      this.setQueue(online, queued, oldestSeconds);
    }
    const { bytes, most } = await evidenceTotals(this.store);
    this.evidenceBytes.set(bytes);
    this.evidenceRatio.set(most / (this.config.QUOTA_EVIDENCE_MEGABYTES * MEGABYTE));
  }

  clear(): void {
    for (const online of [true, false]) this.setQueue(online, NaN, NaN);
    this.evidenceBytes.set(NaN);
    this.evidenceRatio.set(NaN);
  }

  private setQueue(online: boolean, queued: number, oldestSeconds: number): void {
    const agents = online ? 'online' : 'offline';
    this.queued.set({ agents }, queued);
    this.oldest.set({ agents }, oldestSeconds);
  }
}
