import type { Store } from '@batuta/database';
import type { ScheduleMetrics } from '../metrics';
import { lockOldest, shorten } from './backlog.repository';
import { missedTimes } from './due';
import { record } from './firing.repository';

/** Records of one transaction at the most: years of a schedule of every minute are written down in small steps. */
const AT_ONCE = 500;
const MISSED = { code: 'MISSED', message: 'No schedule service ran when it was due, and it was not caught up.' };

/** Writes down what outages missed, beside the firing that goes on. */
export class BacklogService {
  constructor(
    private readonly store: Store,
    private readonly metrics: ScheduleMetrics,
  ) {}

  /** Until nothing is left, or `stopped`. */
  async drain(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const written = await this.step();
      if (written === undefined) return;
      this.metrics.settled('skipped', written);
    }
  }

  /** How many times were written down; undefined when there is no backlog that others are not at. */
  private step(): Promise<number | undefined> {
    return this.store.transaction(async (tx) => {
      const backlog = await lockOldest(tx);
      if (!backlog) return undefined;
      const { backlog_id, schedule_id: scheduleID, cron_expression: expression, from_at, until_at } = backlog;
      const stretch = { from: from_at.getTime(), until: until_at.getTime() };
      const { times, rest } = expression === null ? { times: [] } : missedTimes(expression, stretch, AT_ONCE);
      const records = times.map((time) => ({ scheduleID, nominalAt: new Date(time), ...MISSED }));
      await record(tx, records, new Date());
      await shorten(tx, backlog_id, rest);
      return times.length;
    });
  }
}
