import { notifications, type AwaitedState, type ReportFrame, type ReportLine } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { faultPoint } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { answered, writeAnswer } from '../answer/answer.repository';
import { judgeResponse, type Answer } from '../answer/judge';
import { Batcher, type Settled } from '../batcher';
import type { InstanceRow } from '../instance/bodies';
import { cancelQueueOnException } from '../instance/cancel-queue';
import { Changes } from '../instance/changes';
import { savingsByInstance, writeEnd, type Progress } from '../instance/ending';
import { lockInstances } from '../instance/instance.repository';
import type { Savings } from '../instance/savings';
import { transition } from '../instance/transition';
import { ExecutionMetrics } from '../metrics';

export type Verdict = 'apply' | 'repeated' | 'stale';

interface Written {
  verdict: Verdict;
  awaited?: boolean;
  /** The answer to the waiting caller that came with the report, when it was the first. */
  answer?: Answer;
}

/** What the reports of one batch are judged by, read together. */
interface Facts {
  rows: Map<string, InstanceRow>;
  answered: Set<string>;
  savings: Map<string, Savings>;
}

/** Reports that share one transaction at the most. */
const BATCH = 50;
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

/**
 * Writes what agents report: log lines, answers and ends, each report once and as a whole. Those that come while a
 * transaction is being written share the next.
 */
@Injectable()
export class ReportService {
  private readonly batcher = new Batcher<{ report: ReportFrame; keys: string[] }, Written>(BATCH, (batch) =>
    this.writeAll(batch.map(({ report }) => report)),
  );

  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: Changes,
    private readonly metrics: ExecutionMetrics,
  ) {}

  async report(report: ReportFrame): Promise<{ accepted: boolean; seq: number }> {
    const { instanceID, seq, end } = report;
    const { verdict, awaited, answer } = await this.batcher.submit({ report, keys: [instanceID] });
    this.metrics.reports.inc({ verdict });
    if (answer || (awaited && end)) this.rpc.notify(notifications.answered, answeredHint(report, answer));
    if (verdict === 'apply') this.changes.tell(instanceID);
    if (verdict === 'apply' && end) this.metrics.ended.inc({ outcome: end.outcome });
    return { accepted: verdict !== 'stale', seq };
  }

  /** A fault of one must not fail its neighbours. */
  private async writeAll(reports: ReportFrame[]): Promise<Settled<Written>[]> {
    try {
      return await this.store.transaction((tx) => writeTogether(tx, reports));
    } catch (error) {
      const away = error instanceof ApiError && error.code === 'UNAVAILABLE';
      if (away || reports.length === 1) return reports.map(() => ({ error }));
      const singly: Settled<Written>[] = [];
      for (const report of reports) singly.push(...(await this.writeAll([report])));
      return singly;
    }
  }
}

async function writeTogether(tx: Store, reports: ReportFrame[]): Promise<Settled<Written>[]> {
  const facts = await readFacts(tx, reports);
  const settled: Settled<Written>[] = [];
  const failed = new Set<string>();
  for (const report of reports) {
    try {
      settled.push({ result: await write(tx, report, facts, failed) });
    } catch (error) {
      // A report out of turn; whatever else fails, fails the transaction.
      if (!(error instanceof ApiError) || error.code !== 'BAD_REQUEST') throw error;
      settled.push({ error });
    }
  }
  // Once, however many failed there: what is ended with the commit still looks queued.
  for (const environmentID of failed) await cancelQueueOnException(tx, environmentID);
  return settled;
}

async function readFacts(tx: Store, reports: ReportFrame[]): Promise<Facts> {
  const idsOf = (some: ReportFrame[]) => some.map(({ instanceID }) => instanceID);
  const [rows, done, savings] = await Promise.all([
    lockInstances(tx, idsOf(reports)),
    answered(tx, idsOf(reports.filter(({ response }) => response !== undefined))),
    savingsByInstance(tx, idsOf(reports.filter(({ end }) => end?.outcome === 'FINALIZED'))),
  ]);
  return { rows: new Map(rows.map((row) => [row.instance_id, row])), answered: done, savings };
}

/** Adds the environment to `failed` when the instance ends in error. */
async function write(tx: Store, frame: ReportFrame, facts: Facts, failed: Set<string>): Promise<Written> {
  const { instanceID, response, seq, lines, end } = frame;
  const row = facts.rows.get(instanceID);
  const verdict = judgeReport(row, frame);
  if (!row || verdict !== 'apply') return { verdict };
  const answer = response && row.awaited === 1 && !facts.answered.has(instanceID) ? judgeResponse(response) : undefined;
  if (answer) writeAnswer(tx, instanceID, answer);
  writeLines(tx, row, lines);
  const report = { seq, lastLine: row.last_line + lines.length };
  faultPoint('execution:mid-report');
  const next = end && transition(row, { type: 'end', outcome: end.outcome });
  if (!next || 'refused' in next) writeProgress(tx, instanceID, report);
  else await writeEnd(tx, row, next, { ...end, report, savings: facts.savings.get(instanceID) });
  if (next && !('refused' in next) && next.moved.status === 'error') failed.add(row.environment_id);
  return { verdict, awaited: row.awaited === 1, answer };
}

function writeProgress(tx: Store, instanceID: string, { seq, lastLine }: Progress): void {
  tx.atCommit('UPDATE instance SET last_report = ?, last_line = ?, has_log = ? WHERE instance_id = ?', [
    seq,
    lastLine,
    lastLine > 0,
    instanceID,
  ]);
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
