import { hints, type AwaitedState, type ReportFrame, type ReportLine } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import type { InstanceRow } from '../instance/bodies';
import { hasAnswered, writeAnswer } from '../answer/answer.repository';
import { judgeResponse, type Answer } from '../answer/judge';
import { cancelQueueOnException } from '../instance/cancel-queue';
import { writeEnd } from '../instance/ending';
import { lockInstance } from '../instance/instance.repository';
import { transition } from '../instance/transition';
import { ExecutionMetrics } from '../metrics';

export type Verdict = 'apply' | 'repeated' | 'stale';

interface Written {
  verdict: Verdict;
  awaited?: boolean;
  /** The answer to the waiting caller that came with the report, when it was the first. */
  answer?: Answer;
}

/** Bytes of an answer that travels with the hint about it; a larger one is asked for. */
const HINTED_BYTES = 16 * 1024;

/** What becomes of a report: an old fence or an ended instance refuses it, a repeated one changes nothing. */
export function judgeReport(
  row: Pick<InstanceRow, 'fence' | 'status' | 'last_report'> | undefined,
  report: Pick<ReportFrame, 'fence' | 'seq'>,
): Verdict {
  if (!row || row.fence !== report.fence) return 'stale';
  if (report.seq <= row.last_report) return 'repeated';
  if (row.status !== 'running') return 'stale';
  if (report.seq > row.last_report + 1) {
    throw new ApiError('BAD_REQUEST', `seq: ${report.seq} came before ${row.last_report + 1}`);
  }
  return 'apply';
}

/** Writes what an agent reports: log lines and the end, each report once and as a whole. */
@Injectable()
export class ReportService {
  constructor(
    @Inject(Store) private readonly store: Store,
    @Inject(Rpc) private readonly rpc: Rpc,
    @Inject(ExecutionMetrics) private readonly metrics: ExecutionMetrics,
  ) {}

  async report(report: ReportFrame): Promise<{ accepted: boolean; seq: number }> {
    const { verdict, awaited, answer } = await this.store.transaction((tx) => this.write(tx, report));
    this.metrics.reports.inc({ verdict });
    if (answer || (awaited && report.end)) this.rpc.hint(hints.answered, answeredHint(report, answer));
    if (verdict === 'apply') this.rpc.hint(hints.instanceChanged, { instanceID: report.instanceID });
    if (verdict === 'apply' && report.end) this.metrics.ended.inc({ outcome: report.end.outcome });
    return { accepted: verdict !== 'stale', seq: report.seq };
  }

  private async write(tx: Store, report: ReportFrame): Promise<Written> {
    const { instanceID, response } = report;
    const [row, answered] = await Promise.all([
      lockInstance(tx, instanceID),
      response !== undefined && hasAnswered(tx, instanceID),
    ]);
    const verdict = judgeReport(row, report);
    if (!row || verdict !== 'apply') return { verdict };
    const answer = response && row.awaited === 1 && !answered ? judgeResponse(response) : undefined;
    if (answer) writeAnswer(tx, instanceID, answer);
    writeLines(tx, row, report.lines);
    tx.atCommit('UPDATE instance SET last_report = ?, last_line = ?, has_log = ? WHERE instance_id = ?', [
      report.seq,
      row.last_line + report.lines.length,
      row.last_line + report.lines.length > 0,
      row.instance_id,
    ]);
    faultPoint('execution:mid-report');
    if (report.end) await this.end(tx, row, report.end);
    return { verdict, awaited: row.awaited === 1, answer };
  }

  private async end(tx: Store, row: InstanceRow, end: NonNullable<ReportFrame['end']>): Promise<void> {
    const next = transition(row, { type: 'end', outcome: end.outcome });
    if ('refused' in next) return;
    await writeEnd(tx, row, next, end);
    if (next.moved.status === 'error') await cancelQueueOnException(tx, row.environment_id);
  }
}

function writeLines(tx: Store, row: InstanceRow, lines: ReportLine[]): void {
  if (lines.length === 0) return;
  tx.atCommit('INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence) VALUES ?', [
    lines.map((line, index) => [
      row.instance_id,
      row.last_line + index + 1,
      new Date(line.timestamp),
      line.severity,
      line.message,
      line.stepID,
      line.evidence ?? null,
    ]),
  ]);
}

function answeredHint(
  { instanceID }: ReportFrame,
  answer: Answer | undefined,
): { instanceID: string; state?: AwaitedState } {
  if (!answer || (answer.valid && Buffer.byteLength(answer.body) > HINTED_BYTES)) return { instanceID };
  // Whatever the run does behind its answer, the caller gets the answer.
  return { instanceID, state: { instanceID, status: 'running', outcome: null, answer } };
}
