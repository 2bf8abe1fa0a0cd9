import { Store } from '@batuta/database';
import { faultPoint, LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { NominalClock, type ClockReading } from '../nominal-clock';
import { findScheduleFacts, type ScheduleFacts } from '../processes/process.repository';
import { CREATOR_MAY_NOT_SCHEDULE, MISSED_REASON, START_PERIOD_MS, type FiringReason } from './attempt-result';
import { lockDueSchedules, setNextTimes, type ScheduleTiming } from './due-schedule.repository';
import { createDueTimePlanner } from './due-times';
import { FiringMetrics } from './firing.metrics';
import { writeFiringEvents, type FiringEvent } from './firing-events';
import { insertFirings, type NewFiring } from './firing.repository';
import { insertMissedRanges, type NewMissedRange } from './missed-times.repository';

const SCHEDULE_BATCH_SIZE = 250;
const MINUTE_MS = 60_000;

/**
 * Records due nominal times as firings. The firing and the schedule's next time are one transaction, so that each nominal
 * time is recorded exactly once.
 */
@Injectable()
export class DueScheduleService {
  constructor(
    private readonly store: Store,
    private readonly clock: NominalClock,
    @Inject(FiringMetrics) private readonly metrics: Pick<FiringMetrics, 'recordResult'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Records everything that is due and that no other replica has locked, or ends when `isStopping` returns true. Calls `onRecorded` after each
   * transaction with firings. Returns the milliseconds from the last look for due schedules to the next full minute, the next time at which any
   * can be due.
   */
  async recordDue(isStopping: () => boolean, onRecorded: () => void): Promise<number> {
    for (;;) {
      const { locked, firings, now } = await this.recordBatch();
      this.countSkipped(firings);
      if (firings.length > 0) {
        faultPoint('schedule:after-claim');
        onRecorded();
      }
      if (locked < SCHEDULE_BATCH_SIZE || isStopping()) return MINUTE_MS - (now.getTime() % MINUTE_MS);
    }
  }

  /**
   * Records the due nominal times of one schedule that `tx` has locked; called before the schedule is switched on or off, or gets another
   * expression. The metric of results leaves out the firings that this method skips.
   */
  async recordDueOf(tx: Store, schedule: ScheduleTiming, facts: ScheduleFacts, reading: ClockReading): Promise<void> {
    if (!schedule.next_at || schedule.next_at > reading.now) return;
    await this.record(tx, [schedule], new Map([[schedule.schedule_id, facts]]), reading);
  }

  private recordBatch(): Promise<{ locked: number; firings: NewFiring[]; now: Date }> {
    return this.store.transaction(async (tx) => {
      const reading = await this.clock.read(tx);
      const due = await lockDueSchedules(tx, reading.now, SCHEDULE_BATCH_SIZE);
      const facts = await findScheduleFacts(
        tx,
        due.map((schedule) => schedule.schedule_id),
      );
      return { locked: due.length, firings: await this.record(tx, due, facts, reading), now: reading.now };
    });
  }

  private async record(
    tx: Store,
    due: ScheduleTiming[],
    facts: Map<string, ScheduleFacts>,
    { now, real }: ClockReading,
  ): Promise<NewFiring[]> {
    const firings: NewFiring[] = [];
    const missed: NewMissedRange[] = [];
    const events: FiringEvent[] = [];
    const nextTimes = new Map<string, number | undefined>();
    const planOf = createDueTimePlanner(now.getTime());
    for (const { schedule_id: scheduleID, cron_expression, next_at } of due) {
      if (!next_at) continue;
      const times = planOf(cron_expression, next_at.getTime());
      if (times.missed) {
        missed.push({ scheduleID, range: times.missed });
        // One event for all of them: an outage of a day misses more than a thousand times of a schedule of every minute.
        const [nominalAt, until] = [new Date(times.missed.from), new Date(times.missed.until)];
        events.push({ eventID: uuid(), scheduleID, nominalAt, until, result: 'skipped', reason: MISSED_REASON });
      }
      if (times.firing !== undefined) {
        const nominalAt = new Date(times.firing);
        const reason = times.refusal ?? skipReason(facts.get(scheduleID));
        firings.push({ scheduleID, nominalAt, ...(reason ?? pendingStart(real)) });
        if (reason) events.push({ eventID: uuid(), scheduleID, nominalAt, result: 'skipped', reason });
      }
      nextTimes.set(scheduleID, times.next);
    }
    await Promise.all([
      insertMissedRanges(tx, missed),
      setNextTimes(tx, nextTimes),
      insertFirings(tx, firings, real),
      writeFiringEvents(tx, events),
    ]);
    return firings;
  }

  private countSkipped(firings: NewFiring[]): void {
    const skipped = firings.filter((firing) => 'code' in firing);
    if (skipped.length > 0) this.metrics.recordResult('skipped', skipped.length);
    for (const { scheduleID, code, message } of skipped) {
      if (code !== 'INVALID_CRON') continue;
      this.logger.error({ scheduleID, reason: message }, 'a schedule fires no more: its expression is refused');
    }
  }
}

function pendingStart(real: Date): { instanceID: string; expiresAt: Date } {
  return { instanceID: uuid(), expiresAt: new Date(real.getTime() + START_PERIOD_MS) };
}

/** The reason for skipping a firing without an attempt (contract 2.9, interpretations 14, 16 and 50). */
function skipReason(facts: ScheduleFacts | undefined): FiringReason | undefined {
  if (!facts) return { code: 'PROCESS_NOT_FOUND', message: 'The process was deleted.' };
  if (!facts.creatorMaySchedule) return CREATOR_MAY_NOT_SCHEDULE;
  if (facts.paused) return { code: 'PROCESS_PAUSED', message: 'The process was paused.' };
  if (facts.scheduling) return undefined;
  const message = 'The plan of the company that owns the process did not include scheduling.';
  return { code: 'PLAN_FEATURE_UNAVAILABLE', message };
}
