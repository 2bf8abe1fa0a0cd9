import { execution, type StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { Rpc } from '@batuta/messaging';
import { faultPoint, withRequestID } from '@batuta/observability';
import type { Clock } from '../clock';
import type { ScheduleMetrics } from '../metrics';
import { processFacts, type ProcessFacts } from '../processes';
import { findAll, type ScheduleRow } from '../schedules/schedule.repository';
import { lease, settle, type LeasedFiring } from './firing.repository';
import { accepted, ANSWER_MILLISECONDS, LEASE_MILLISECONDS, pauseAfter, refused, type Verdict } from './verdict';

const AT_ONCE = 50;

interface Attempt {
  firing: LeasedFiring;
  schedule: ScheduleRow | undefined;
  process: ProcessFacts | undefined;
  now: Date;
  real: Date;
}

/**
 * Asks execution to start what is pending, again and again until it has a result. The instance's id was minted with the
 * record, so however often it is asked for, and by whichever replica, it starts once (interpretation 39).
 */
export class SendingService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly clock: Clock,
    private readonly metrics: ScheduleMetrics,
  ) {}

  /** Until nothing is left that may be tried now, or `stopped`. */
  async send(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const attempts = await this.lease();
      await Promise.all(attempts.map((attempt) => withRequestID(undefined, () => this.attempt(attempt))));
      if (attempts.length < AT_ONCE) return;
    }
  }

  private async lease(): Promise<Attempt[]> {
    const { firings, now, real } = await this.store.transaction(async (tx) => {
      const times = await this.clock.read(tx);
      const until = new Date(times.real.getTime() + LEASE_MILLISECONDS);
      return { firings: await lease(tx, times.real, until, AT_ONCE), ...times };
    });
    if (firings.length === 0) return [];
    const found = await findAll(
      this.store,
      firings.map((firing) => firing.schedule_id),
    );
    const schedules = new Map(found.map((row) => [row.schedule_id, row]));
    const processes = await processFacts(
      this.store,
      found.map((row) => row.process_id),
    );
    return firings.map((firing) => {
      const schedule = schedules.get(firing.schedule_id);
      return { firing, schedule, process: processes.get(schedule?.process_id ?? ''), now, real };
    });
  }

  private async attempt(attempt: Attempt): Promise<void> {
    const { firing, now } = attempt;
    const lateness = now.getTime() - firing.nominal_at.getTime();
    const verdict = await this.ask(attempt, lateness);
    faultPoint('schedule:after-start');
    const settled = await settle(this.store, firing, verdict, pauseAfter(firing.attempts));
    if (!settled || verdict.result === 'pending') return;
    this.metrics.settled(verdict.result, 1, 'reason' in verdict ? undefined : lateness);
  }

  private async ask({ firing, schedule, process, real }: Attempt, lateness: number): Promise<Verdict> {
    const expired = firing.expires_at < real;
    const deadline = Math.min(real.getTime() + ANSWER_MILLISECONDS, firing.expires_at.getTime());
    if (!schedule || !process) return GONE;
    try {
      const request = toRequest(firing, schedule, process, deadline);
      await this.rpc.call(execution.start, request, { timeout: ANSWER_MILLISECONDS });
      return accepted(lateness);
    } catch (error) {
      return refused(error, expired);
    }
  }
}

const GONE: Verdict = { result: 'failed', reason: { code: 'PROCESS_NOT_FOUND', message: 'The process was deleted.' } };

/** The owner's own run: in the owner's name, shown under the schedule's (contract 2.9, interpretation 10). */
function toRequest(
  { instance_id: instanceID, attempts }: LeasedFiring,
  schedule: ScheduleRow,
  { processID, ownerAccountID }: ProcessFacts,
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
