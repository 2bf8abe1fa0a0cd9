import { Store } from '@batuta/database';
import { Metrics } from '@batuta/observability';
import { GaugeRounds, type MeasuredGauges } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** Counting stops here: a backlog of that size is an alarm anyway. */
const MAX_COUNTED_DELIVERIES = 100_000;

/** Gauges from the database: how many deliveries are not final, and for how many seconds the one that is due longest has waited for its attempt. */
@Injectable()
export class DeliveryGauges implements OnApplicationBootstrap, MeasuredGauges {
  private readonly waiting;
  private readonly overdue;

  constructor(
    private readonly store: Store,
    private readonly rounds: GaugeRounds,
    metrics: Metrics,
  ) {
    this.waiting = metrics.gauges('batuta_event_deliveries_waiting', 'Deliveries of events that are not final.', []);
    const help = 'How long the delivery of an event that is due has waited for its attempt.';
    this.overdue = metrics.gauges('batuta_event_deliveries_overdue_seconds', help, []);
  }

  onApplicationBootstrap(): void {
    this.rounds.add('event gauges', this);
  }

  async measure(): Promise<void> {
    const counted = await this.store.row<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (SELECT 1 FROM event_delivery FORCE INDEX (event_delivery_due)
         WHERE next_attempt_at IS NOT NULL LIMIT ${MAX_COUNTED_DELIVERIES}) counted`,
    );
    const first = await this.store.row<{ seconds: string | number | null }>(
      `SELECT TIMESTAMPDIFF(MICROSECOND, MIN(next_attempt_at), UTC_TIMESTAMP(3)) / 1000000 AS seconds
         FROM event_delivery FORCE INDEX (event_delivery_due) WHERE next_attempt_at IS NOT NULL`,
    );
    this.waiting.set(counted?.n ?? 0);
    this.overdue.set(Math.max(0, Number(first?.seconds ?? 0)));
  }

  clear(): void {
    this.waiting.set(NaN);
    this.overdue.set(NaN);
  }
}
