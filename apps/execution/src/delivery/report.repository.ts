import type { ReportFrame, ReportLine } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { MAX_SEARCHED_INPUT_BYTES } from '../answers/answer.service';
import { findAnswered } from '../answers/answer.repository';
import { savingsByInstance, type ReportProgress } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { lockInstances } from '../instances/instance.repository';
import type { Savings } from '../instances/savings';
import { keepEvidence } from './kept-evidence';

/** The rows that a batch of reports needs, read together. */
export interface ReportFacts {
  /** The locked rows of the instances, by instance id. */
  rows: Map<string, InstanceRow>;
  /** Ids of instances that have answered. */
  answered: Set<string>;
  savings: Map<string, Savings>;
  /**
   * Sealed inputs of instances whose report has an answer, by instance id; null for one larger than
   * MAX_SEARCHED_INPUT_BYTES.
   */
  inputs: Map<string, Buffer | null>;
}

export async function readReportFacts(tx: Store, reports: ReportFrame[]): Promise<ReportFacts> {
  const idsOf = (some: ReportFrame[]) => some.map(({ instanceID }) => instanceID);
  const answering = idsOf(reports.filter(({ response }) => response !== undefined));
  const [rows, answered, savings, inputs] = await Promise.all([
    lockInstances(tx, idsOf(reports)),
    findAnswered(tx, answering),
    savingsByInstance(tx, idsOf(reports.filter(({ end }) => end?.outcome === 'FINALIZED'))),
    readInputs(tx, answering),
  ]);
  return { rows: new Map(rows.map((row) => [row.instance_id, row])), answered, savings, inputs };
}

async function readInputs(tx: Store, instanceIDs: string[]): Promise<ReportFacts['inputs']> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await tx.rows<{ instance_id: string; sealed: Buffer | null }>(
    'SELECT instance_id, IF(LENGTH(sealed) > ?, NULL, sealed) AS sealed FROM instance_input WHERE instance_id IN (?)',
    [MAX_SEARCHED_INPUT_BYTES, instanceIDs],
  );
  return new Map(rows.map(({ instance_id, sealed }) => [instance_id, sealed]));
}

/** Adds the progress of the instance to the commit. */
export function writeProgress(tx: Store, instanceID: string, { seq, lastLine }: ReportProgress): void {
  tx.atCommit('UPDATE instance SET last_report = ?, last_line = ?, has_log = ? WHERE instance_id = ?', [
    seq,
    lastLine,
    lastLine > 0,
    instanceID,
  ]);
}

/**
 * Adds log lines to the commit, numbered after the last line of the instance, with as much evidence as the instance has
 * room for.
 */
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
