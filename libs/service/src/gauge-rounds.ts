import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { PeriodicTasks } from './periodic-tasks';

const ROUND_INTERVAL_MS = 15_000;
/** Minimum time between the beginnings of two rounds, in durations of a round; thus rounds use a connection for at most a twentieth of the time. */
const SPACING_FACTOR = 20;

/** Gauges that are read from the database. Every replica reads them; a scrape returns the values of the last round and reads nothing. */
export interface MeasuredGauges {
  measure(): Promise<void>;
  /** Removes all values; called when a round failed, because an old value would look like a current one. */
  clear(): void;
}

/** Measures gauges in rounds, a periodic task, so that neither requests nor scrapes wait for the queries. */
@Injectable()
export class GaugeRounds {
  /** When each kind of gauge was last measured, on the monotonic clock. */
  private readonly measuredAt = new Map<string, number>();

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly metrics: Metrics,
  ) {}

  /** `name` is the name of the periodic task. */
  add(name: string, gauges: MeasuredGauges): void {
    if (this.measuredAt.size === 0) {
      const help = 'Time since the gauges from the database were measured.';
      this.metrics.gauge('batuta_gauges_age_seconds', help, () => this.ageMs() / 1_000);
    }
    this.measuredAt.set(name, performance.now());
    let notBefore = 0;
    this.tasks.every(name, ROUND_INTERVAL_MS, async () => {
      const began = performance.now();
      if (began < notBefore) return;
      try {
        await gauges.measure();
        this.measuredAt.set(name, performance.now());
      } catch (error) {
        gauges.clear();
        throw error;
      } finally {
        notBefore = began + (performance.now() - began) * SPACING_FACTOR;
      }
    });
  }

  private ageMs(): number {
    return performance.now() - Math.min(...this.measuredAt.values());
  }
}
