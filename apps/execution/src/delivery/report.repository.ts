import type { ReportFrame, ReportLine } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { findAnswered } from '../answers/answer.repository';
import { savingsByInstance, type ReportProgress } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { lockInstances } from '../instances/instance.repository';
import type { Savings } from '../instances/savings';
import { keepEvidence } from './kept-evidence';

/** What a batch of reports needs from the database, read together. */
export interface ReportFacts {
  /** Locked, by instance id. */
  rows: Map<string, InstanceRow>;
  /** Ids of instances that have answered. */
  answered: Set<string>;
  savings: Map<string, Savings>;
}

export async function readReportFacts(tx: Store, reports: ReportFrame[]): Promise<ReportFacts> {
  const idsOf = (some: ReportFrame[]) => some.map(({ instanceID }) => instanceID);
  const [rows, answered, savings] = await Promise.all([
    lockInstances(tx, idsOf(reports)),
    findAnswered(tx, idsOf(reports.filter(({ response }) => response !== undefined))),
    savingsByInstance(tx, idsOf(reports.filter(({ end }) => end?.outcome === 'FINALIZED'))),
  ]);
  return { rows: new Map(rows.map((row) => [row.instance_id, row])), answered, savings };
}

/** Is written with the commit. */
export function writeProgress(tx: Store, instanceID: string, { seq, lastLine }: ReportProgress): void {
  tx.atCommit('UPDATE instance SET last_report = ?, last_line = ?, has_log = ? WHERE instance_id = ?', [
    seq,
    lastLine,
    lastLine > 0,
    instanceID,
  ]);
}

/** Are written with the commit, numbered after the last line of the instance, with the evidence that the instance has room for. */
export function writeLines(tx: Store, row: InstanceRow, reported: ReportLine[]): void {
  if (reported.length === 0) return;
  const { lines, bytes } = keepEvidence(reported, row.evidence_bytes);
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
  if (bytes === 0) return;
  tx.atCommit('UPDATE instance SET evidence_bytes = evidence_bytes + ? WHERE instance_id = ?', [
    bytes,
    row.instance_id,
  ]);
}
