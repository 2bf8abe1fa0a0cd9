import { Store } from '@batuta/database';
import { Metrics } from '@batuta/observability';
import { GaugeRounds, type MeasuredGauges } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NominalClock } from '../nominal-clock';

/**
 * Ages of the longest overdue schedule and of the oldest pending firing. The histogram of the lag has only firings that
 * have started.
 */
@Injectable()
export class FiringGauges implements OnApplicationBootstrap, MeasuredGauges {
  private readonly overdue;
  private readonly pending;

  constructor(
    private readonly store: Store,
    private readonly clock: NominalClock,
    private readonly rounds: GaugeRounds,
    metrics: Metrics,
  ) {
    const overdueHelp = 'How long the longest due schedule has waited to be recorded.';
    this.overdue = metrics.gauges('batuta_schedules_overdue_seconds', overdueHelp, []);
    this.pending = metrics.gauges('batuta_firings_oldest_pending_seconds', 'Age of the oldest pending firing.', []);
  }

  onApplicationBootstrap(): void {
    this.rounds.add('firing gauges', this);
  }

  async measure(): Promise<void> {
    const { now } = await this.clock.read(this.store);
    const secondsSince = (time: Date | null | undefined) =>
      time ? Math.max(0, now.getTime() - time.getTime()) / 1_000 : 0;
    const due = await this.store.row<{ first: Date | null }>('SELECT MIN(next_at) AS first FROM schedule');
    const pending = await this.store.row<{ first: Date | null }>(
      `SELECT MIN(nominal_at) AS first FROM schedule_firing FORCE INDEX (schedule_firing_pending)
        WHERE next_attempt_at IS NOT NULL`,
    );
    this.overdue.set(secondsSince(due?.first));
    this.pending.set(secondsSince(pending?.first));
  }

  clear(): void {
    this.overdue.set(NaN);
    this.pending.set(NaN);
  }
}
