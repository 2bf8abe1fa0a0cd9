import { execution, type StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { faultPoint, withRequestID } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { NominalClock, type ClockReading } from '../nominal-clock';
import { scheduleFacts, type ScheduleFacts } from '../processes/process.repository';
import {
  acceptedResult,
  ATTEMPT_LEASE_MS,
  ATTEMPT_TIMEOUT_MS,
  CREATOR_MAY_NOT_SCHEDULE,
  pauseAfterAttempt,
  refusedResult,
  type AttemptResult,
} from './attempt-result';
import { startSettings, type StartSettings } from './due-schedule.repository';
import { ScheduleMetrics } from './firing.metrics';
import { leasePendingFirings, saveAttemptResult, type LeasedFiring } from './firing.repository';

const BATCH_SIZE = 50;

const PROCESS_DELETED: AttemptResult = {
  result: 'failed',
  reason: { code: 'PROCESS_NOT_FOUND', message: 'The process was deleted.' },
};

interface Attempt extends ClockReading {
  firing: LeasedFiring;
  schedule: StartSettings | undefined;
  facts: ScheduleFacts | undefined;
}

/**
 * Asks execution to start pending firings until each has a final result. The id of the instance is stored with the firing,
 * so that any number of attempts by any replica starts one instance (interpretation 39).
 */
@Injectable()
export class FiringStartService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly clock: NominalClock,
    private readonly metrics: ScheduleMetrics,
  ) {}

  /** Attempts every pending firing whose pause is over, or ends when `stopping`. */
  async startPending(stopping: () => boolean): Promise<void> {
    while (!stopping()) {
      const attempts = await this.leaseBatch();
      await Promise.all(attempts.map((attempt) => withRequestID(undefined, () => this.attempt(attempt))));
      if (attempts.length < BATCH_SIZE) return;
    }
  }

  private async leaseBatch(): Promise<Attempt[]> {
    const { firings, now, real } = await this.store.transaction(async (tx) => {
      const reading = await this.clock.read(tx);
      const until = new Date(reading.real.getTime() + ATTEMPT_LEASE_MS);
      return { firings: await leasePendingFirings(tx, reading.real, until, BATCH_SIZE), ...reading };
    });
    if (firings.length === 0) return [];
    const ids = firings.map((firing) => firing.schedule_id);
    const [found, facts] = await Promise.all([startSettings(this.store, ids), scheduleFacts(this.store, ids)]);
    const schedules = new Map(found.map((schedule) => [schedule.schedule_id, schedule]));
    return firings.map((firing) => {
      const id = firing.schedule_id;
      return { firing, schedule: schedules.get(id), facts: facts.get(id), now, real };
    });
  }

  private async attempt(attempt: Attempt): Promise<void> {
    const { firing, now } = attempt;
    const delayMs = now.getTime() - firing.nominal_at.getTime();
    const outcome = await this.start(attempt, delayMs);
    faultPoint('schedule:after-start');
    const saved = await saveAttemptResult(this.store, firing, outcome, pauseAfterAttempt(firing.attempts));
    if (!saved || outcome.result === 'pending') return;
    this.metrics.recordResult(outcome.result, 1, 'reason' in outcome ? undefined : delayMs);
  }

  private async start({ firing, schedule, facts, real }: Attempt, delayMs: number): Promise<AttemptResult> {
    if (!schedule || !facts) return PROCESS_DELETED;
    // An earlier attempt may have been accepted without a reply: only execution knows.
    if (!facts.creatorMaySchedule && firing.attempts === 1) {
      return { result: 'skipped', reason: CREATOR_MAY_NOT_SCHEDULE };
    }
    const deadline = Math.min(real.getTime() + ATTEMPT_TIMEOUT_MS, firing.expires_at.getTime());
    try {
      const request = toRequest(firing, schedule, facts, deadline);
      await this.rpc.call(execution.start, request, { timeout: ATTEMPT_TIMEOUT_MS });
      return acceptedResult(delayMs);
    } catch (error) {
      return refusedResult(error, firing.expires_at < real);
    }
  }
}

/** A start in the name of the process's owner, listed under the name of the schedule (contract 2.9, interpretation 10). */
function toRequest(
  { instance_id: instanceID, attempts }: LeasedFiring,
  schedule: StartSettings,
  { processID, ownerAccountID }: ScheduleFacts,
  deadline: number,
): StartRequest {
  const matrix: Record<string, unknown> = JSON.parse(schedule.matrix);
  return {
    instanceID,
    deadline,
    ...(attempts > 1 ? { resent: true } : {}),
    processID,
    trigger: { kind: 'schedule', accountID: ownerAccountID, userName: schedule.name, executor: schedule.executor },
    matrix,
    ...(schedule.environment_id === null ? {} : { environmentID: schedule.environment_id }),
  };
}
