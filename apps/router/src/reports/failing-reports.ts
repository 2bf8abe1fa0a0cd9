import type { ReportFrame } from '@batuta/agent-protocol';
import { LOGGER, Metrics, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { AgentSession } from '../sessions/agent-session';

const LOG_INTERVAL_MS = 60_000;
/** A report that fails for a shorter time is not logged, because execution may only be restarting. */
const LOG_AFTER_MS = 60_000;
/** Maximum number of further instances that a log line names: during an outage the reports of all instances fail. */
const MAX_NAMED_INSTANCES = 20;

interface FailingReport {
  report: ReportFrame;
  session: Pick<AgentSession, 'id' | 'environmentID'>;
  /** The time of the first failed attempt, on the monotonic clock. */
  since: number;
  attempts: number;
  /** The error of the last attempt. */
  error: unknown;
}

/**
 * The reports at this replica for which at least one attempt has failed and which execution has not stored since. Unless all attempts fail as
 * INTERNAL (LastingFault), they are repeated without an end, because nobody can tell an outage from a report that never fits into its time
 * limit; the gauge and the log tell the operator.
 */
@Injectable()
export class FailingReports implements OnApplicationBootstrap {
  /** In the order of their first failed attempts. */
  private readonly failing = new Map<ReportFrame, FailingReport>();

  constructor(
    metrics: Metrics,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    metrics.gauge(
      'batuta_router_report_failing_seconds',
      'How long the report that fails longest has failed; 0 = none fails.',
      () => this.longestMs / 1_000,
    );
  }

  onApplicationBootstrap(): void {
    this.tasks.every('failing reports', LOG_INTERVAL_MS, async () => this.log());
  }

  /** Notes a failed attempt. */
  add(session: FailingReport['session'], report: ReportFrame, error: unknown): void {
    const { since, attempts } = this.failing.get(report) ?? { since: performance.now(), attempts: 0 };
    this.failing.set(report, { report, session, since, attempts: attempts + 1, error });
  }

  /** Called when the report is stored, refused, or left to the next session of its agent. */
  remove(report: ReportFrame): void {
    this.failing.delete(report);
  }

  /** Logs the report that fails longest, and the instances of others that also fail for long. */
  private log(): void {
    const now = performance.now();
    const [longest, ...others] = [...this.failing.values()].filter(({ since }) => now - since >= LOG_AFTER_MS);
    if (!longest) return;
    const { report, session, since, attempts, error } = longest;
    const { instanceID, fence, seq } = report;
    const fields = { instanceID, fence, seq, sessionID: session.id, environmentID: session.environmentID };
    const named = others.slice(0, MAX_NAMED_INSTANCES).map((other) => other.report.instanceID);
    this.logger.error(
      { err: error, ...fields, attempts, seconds: Math.round((now - since) / 1_000), others: others.length, named },
      'execution does not store a report of an instance; it is repeated',
    );
  }

  private get longestMs(): number {
    const [longest] = this.failing.values();
    return longest ? performance.now() - longest.since : 0;
  }
}
