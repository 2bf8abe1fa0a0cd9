import type { ReportFrame, ReportLine, ReportResponse } from '@batuta/agent-protocol';
import { notifications, type AwaitedState, type Outcome } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { currentLargeRequest, Rpc } from '@batuta/messaging';
import { faultPoint, Liveness } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import type { InstanceAnswer } from '../answers/answer.repository';
import { AnswerService } from '../answers/answer.service';
import type { Answer } from '../answers/validate-answer';
import { Batcher, type BatchItem, type SettledItem } from '../batcher';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { endWithoutResult, writeEnds, type InstanceEnd } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { transition } from '../instances/transition';
import { ExecutionMetrics } from '../execution.metrics';
import { cancelQueuesOnException } from '../queue-cancellation/queue-cancellation.repository';
import { checkReport, type ReportCheck } from './check-report';
import {
  lineOfService,
  readReportFacts,
  writeLines,
  writeProgress,
  type InstanceLines,
  type InstanceProgress,
  type ReportFacts,
} from './report.repository';
import { endUnstorable } from './unstorable-report';

interface ReportResult {
  check: ReportCheck | 'unstorable';
  /** Whether a webhook caller waits for the answer, or has waited. */
  awaited?: boolean;
  /** The answer of the report; set when it is the first answer of an instance that was started for a waiting caller. */
  answer?: Answer;
  /** The outcome of the instance; set when the report ends it. */
  outcome?: Outcome;
}

type SubmittedReport = BatchItem & { report: ReportRequest };

/** `endIfUnstorable`: when the report cannot be stored, its instance ends. */
export type ReportRequest = ReportFrame & { endIfUnstorable?: boolean };

type ReadAnswer = (instanceID: string, response: ReportResponse) => InstanceAnswer;

const REPORT_BATCH_SIZE = 50;
/** Largest answer that is sent inside of its notification; the gateway reads a larger one from execution. */
const MAX_NOTIFIED_ANSWER_BYTES = 16 * 1024;

/** Writes the reports of agents: log lines, answers and ends. Each report is written once and completely, in batches. */
@Injectable()
export class ReportService {
  private readonly batcher: Batcher<SubmittedReport, ReportResult>;

  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
    private readonly metrics: ExecutionMetrics,
    private readonly answers: AnswerService,
    liveness: Liveness,
  ) {
    const write = (batch: SubmittedReport[]) => this.writeBatch(batch.map(({ report }) => report));
    this.batcher = new Batcher(REPORT_BATCH_SIZE, metrics.withBatchItems('reports', write));
    liveness.watch('reports', () => this.batcher.batchAgeMs);
  }

  /**
   * `accepted` is true once the report is committed, now or by an earlier request; it is false for a stale report, and for one that follows a
   * gap or cannot be stored, which ends the instance. Throws UNAVAILABLE when too many reports wait or the database does not answer in
   * time, and any other error unless `endIfUnstorable` ends the instance.
   */
  async report(report: ReportRequest): Promise<{ accepted: boolean; seq: number }> {
    const { instanceID, seq } = report;
    const { check, awaited, answer, outcome } = await this.batcher.submit({
      report,
      keys: [instanceID],
      ...currentLargeRequest(),
    });
    this.metrics.reports.inc({ result: check });
    if (answer || (awaited && outcome))
      this.rpc.notify(notifications.answered, answeredNotification(instanceID, answer));
    if (check === 'apply' || outcome) this.changes.notify(instanceID);
    if (outcome) this.metrics.instancesEndedByReport.inc({ outcome });
    return { accepted: check === 'apply' || check === 'repeated', seq };
  }

  /**
   * When the transaction of a batch fails, each report gets a transaction of its own, because a bad report must not
   * fail the others. While the database is away, all reports of the batch fail.
   */
  private async writeBatch(reports: ReportRequest[]): Promise<SettledItem<ReportResult>[]> {
    try {
      return await this.store.transaction((tx) => writeTogether(tx, reports, this.answers));
    } catch (error) {
      const databaseAway = error instanceof ApiError && error.code === 'UNAVAILABLE';
      const [first] = reports;
      if (!databaseAway && reports.length === 1 && first?.endIfUnstorable) return [await this.giveUp(first)];
      if (databaseAway || reports.length === 1) return reports.map(() => ({ error }));
      const settled: SettledItem<ReportResult>[] = [];
      for (const report of reports) settled.push(...(await this.writeBatch([report])));
      return settled;
    }
  }

  private async giveUp(report: ReportFrame): Promise<SettledItem<ReportResult>> {
    try {
      return { result: await this.store.transaction((tx) => endUnstorable(tx, report)) };
    } catch (error) {
      return { error };
    }
  }
}

/** What the reports of a batch write, collected so that reports share statements. */
interface ReportWrites {
  answers: InstanceAnswer[];
  lines: InstanceLines[];
  progress: InstanceProgress[];
  ends: InstanceEnd[];
}

async function writeTogether(
  tx: Store,
  reports: ReportFrame[],
  answers: AnswerService,
): Promise<SettledItem<ReportResult>[]> {
  const facts = await readReportFacts(tx, reports);
  const secrets = await answers.readSecrets(tx, instancesWithFirstAnswer(reports, facts), facts.inputs);
  const readAnswer: ReadAnswer = (instanceID, response) =>
    answers.toInstanceAnswer(instanceID, response, secrets.get(instanceID));
  const writes: ReportWrites = { answers: [], lines: [], progress: [], ends: [] };
  const settled = reports.map((report) => ({ result: applyReport(report, facts, readAnswer, writes) }));
  answers.write(tx, writes.answers);
  writeLines(tx, writes.lines);
  faultPoint('execution:mid-report');
  writeProgress(tx, writes.progress);
  writeEnds(tx, writes.ends);
  const failed = writes.ends.filter(({ change }) => change.next.status === 'error');
  cancelQueuesOnException(
    tx,
    failed.map(({ row }) => row),
  );
  return settled;
}

/** Adds to `writes` what a report changes. */
function applyReport(
  report: ReportFrame,
  facts: ReportFacts,
  readAnswer: ReadAnswer,
  writes: ReportWrites,
): ReportResult {
  const { instanceID, response, seq, end } = report;
  const row = facts.rows.get(instanceID);
  const check = checkReport(row, report);
  if (row && check === 'gap') return endAfterGap(row, report, writes);
  if (!row || check !== 'apply') return { check };
  const answered = response && isFirstAnswer(row, facts) ? readAnswer(instanceID, response) : undefined;
  if (answered) writes.answers.push(answered);
  const lines = [...report.lines, ...warningsOf(answered)];
  if (lines.length > 0) writes.lines.push({ row, lines });
  const progress = { seq, lastLine: row.last_line + lines.length };
  const change = end && transition(row, { type: 'end', outcome: end.outcome });
  if (!change || 'refused' in change) writes.progress.push({ instanceID, progress });
  else writes.ends.push({ row, change, ...end, report: progress, savings: facts.savings.get(instanceID) });
  return { check, awaited: row.awaited === 1, answer: answered?.answer, outcome: end?.outcome };
}

/** Tells the owner of the process, and the author of the agent, why the caller got INVALID_RESPONSE. */
function warningsOf(answered: InstanceAnswer | undefined): ReportLine[] {
  if (answered?.problem === undefined) return [];
  return [lineOfService('WARNING', `${answered.problem}: a caller gets 502 INVALID_RESPONSE`)];
}

/** Ends an instance whose reports cannot be completed. Its stored reports stay, and its agent drops the instance. */
function endAfterGap(row: InstanceRow, { seq }: ReportFrame, writes: ReportWrites): ReportResult {
  const errorMessage = `The agent sent report ${seq} of the execution, but report ${row.last_report + 1} is missing, so its result is not known.`;
  const end = endWithoutResult(row, errorMessage);
  writes.ends.push(end);
  return { check: 'gap', awaited: row.awaited === 1, outcome: end.outcome };
}

/** Only the first answer of an instance counts, and only if a caller waits for it. */
function isFirstAnswer(row: InstanceRow, { answered }: ReportFacts): boolean {
  return row.awaited === 1 && !answered.has(row.instance_id);
}

function instancesWithFirstAnswer(reports: ReportFrame[], facts: ReportFacts): InstanceRow[] {
  return reports.flatMap(({ instanceID, response }) => {
    const row = response && facts.rows.get(instanceID);
    return row && isFirstAnswer(row, facts) ? [row] : [];
  });
}

function answeredNotification(
  instanceID: string,
  answer: Answer | undefined,
): { instanceID: string; state?: AwaitedState } {
  if (!answer || (answer.valid && Buffer.byteLength(answer.body) > MAX_NOTIFIED_ANSWER_BYTES)) return { instanceID };
  // The status is a placeholder: the caller gets the answer whatever status the instance has by then.
  return { instanceID, state: { instanceID, status: 'running', outcome: null, answer } };
}
