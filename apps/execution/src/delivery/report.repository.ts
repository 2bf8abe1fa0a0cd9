import type { ReportFrame, ReportLine } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { MAX_SEARCHED_INPUT_BYTES } from '../answers/answer.service';
import { findAnswered } from '../answers/answer.repository';
import { savingsByInstance, type ReportProgress } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { lockInstances } from '../instances/instance.repository';
import type { Savings } from '../instances/savings';
import { limitEvidence } from './kept-evidence';

/** The rows that a batch of reports needs, read together. */
export interface ReportFacts {
  /** The locked rows of the instances, by instance id. */
  rows: Map<string, InstanceRow>;
  /** Ids of those instances whose report has an answer although they have answered before. */
  answered: Set<string>;
  /** The savings of instances that their report ends as FINALIZED, by instance id. */
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
    readSealedInputs(tx, answering),
  ]);
  return { rows: new Map(rows.map((row) => [row.instance_id, row])), answered, savings, inputs };
}

async function readSealedInputs(tx: Store, instanceIDs: string[]): Promise<ReportFacts['inputs']> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await tx.rows<{ instance_id: string; sealed: Buffer | null }>(
    'SELECT instance_id, IF(LENGTH(sealed) > ?, NULL, sealed) AS sealed FROM instance_input WHERE instance_id IN (?)',
    [MAX_SEARCHED_INPUT_BYTES, instanceIDs],
  );
  return new Map(rows.map(({ instance_id, sealed }) => [instance_id, sealed]));
}

/** The progress that a report brings to an instance without ending it. */
export interface InstanceProgress {
  instanceID: string;
  progress: ReportProgress;
}

/** Adds the progress of instances to the commit. */
export function writeProgress(tx: Store, reported: InstanceProgress[]): void {
  for (const alike of Map.groupBy(reported, ({ progress }) => `${progress.seq} ${progress.lastLine}`).values()) {
    const [first] = alike;
    if (!first) continue;
    const { seq, lastLine } = first.progress;
    tx.atCommit('UPDATE instance SET last_report = ?, last_line = ?, has_log = ? WHERE instance_id IN (?)', [
      seq,
      lastLine,
      lastLine > 0,
      alike.map(({ instanceID }) => instanceID),
    ]);
  }
}

/** A log line that the service adds to those of the agent. */
export function lineOfService(severity: ReportLine['severity'], message: string): ReportLine {
  return { timestamp: new Date().toISOString(), severity, message, stepID: '' };
}

/** The lines of a report, for the instance of a row. */
export interface InstanceLines {
  row: InstanceRow;
  lines: ReportLine[];
}

/**
 * Adds log lines to the commit, numbered after the last line of their instance, with as much evidence as the instance has
 * room for.
 */
export function writeLines(tx: Store, reported: InstanceLines[]): void {
  const kept = reported.map(({ row, lines }) => ({ row, ...limitEvidence(lines, row.evidence_bytes) }));
  const logRows = kept.flatMap(({ row, lines }) => lines.map((line, index) => logRow(row, line, index)));
  if (logRows.length === 0) return;
  tx.atCommit('INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence) VALUES ?', [
    logRows,
  ]);
  for (const { row, bytes } of kept) {
    if (bytes === 0) continue;
    tx.atCommit('UPDATE instance SET evidence_bytes = evidence_bytes + ? WHERE instance_id = ?', [
      bytes,
      row.instance_id,
    ]);
  }
}

function logRow(row: InstanceRow, line: ReportLine, index: number): unknown[] {
  return [
    row.instance_id,
    row.last_line + index + 1,
    new Date(line.timestamp),
    line.severity,
    line.message,
    line.stepID,
    line.evidence ?? null,
  ];
}
