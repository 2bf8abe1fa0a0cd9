import { BiteSize, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { MISSED_REASON } from './attempt-result';
import { missedTimes } from './due-times';
import { FiringMetrics } from './firing.metrics';
import { insertFirings } from './firing.repository';
import { shortenMissedRange, lockOldestMissedRange, type MissedRange } from './missed-times.repository';

/** Records the nominal times that outages missed as skipped firings, while due schedules continue to fire. */
@Injectable()
export class MissedTimesService {
  private readonly size = new BiteSize();

  constructor(
    private readonly store: Store,
    private readonly metrics: FiringMetrics,
  ) {}

  /** Records missed times until no range is left that other replicas have not locked, or until `isStopping` returns true. */
  async recordMissed(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      let recorded: number | undefined;
      // The work is done in bites, because years of a schedule of every minute need many transactions.
      await this.size.run(async (rows) => (recorded = await this.recordBite(rows)) ?? 0);
      if (recorded === undefined) return;
      this.metrics.recordResult('skipped', recorded);
    }
  }

  /** The number of recorded times, at most `limit`; undefined when no range is left that other replicas have not locked. */
  private recordBite(limit: number): Promise<number | undefined> {
    return this.store.transaction(async (tx) => {
      const missed = await lockOldestMissedRange(tx);
      if (!missed) return undefined;
      const { id, scheduleID } = missed;
      const { times, rest } = timesOf(missed, limit);
      const firings = times.map((time) => ({ scheduleID, nominalAt: new Date(time), ...MISSED_REASON }));
      await insertFirings(tx, firings, missed.now);
      await shortenMissedRange(tx, id, rest);
      return times.length;
    });
  }
}

/**
 * No times of a schedule that was removed, nor of an expression that this release refuses and an earlier one stored: its range would
 * stay the oldest, and keep all others from being recorded.
 */
function timesOf({ cronExpression, range }: MissedRange, limit: number): ReturnType<typeof missedTimes> {
  if (cronExpression === null) return { times: [] };
  try {
    return missedTimes(cronExpression, range, limit);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { times: [] };
  }
}
