import type { Outcome } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { refundInstances } from '../credits/ledger';
import { writeEndEvents } from './end-events';
import type { InstanceRow } from './instance-row';
import { NO_SAVINGS, savingsOf, type Savings } from './savings';
import type { Transition } from './transition';

export interface InstanceEnd {
  outcome: Outcome;
  errorStep?: string | null;
  errorMessage?: string | null;
  /** Who caused the end; the executor of the start when left out. */
  executor?: string;
  /** The savings of a success, when the caller of `writeEnd` has read them already. */
  savings?: Savings;
  /** The report that brings the end. */
  report?: ReportProgress;
}

/** The last report and the last log line of an instance. */
export interface ReportProgress {
  seq: number;
  lastLine: number;
}

/** An instance that ends in the queue must leave the index of what waits to be claimed. */
const LEFT_QUEUE_AT = 'COALESCE(claimed_at, UTC_TIMESTAMP(3))';

/**
 * Writes the end of an instance with the commit: status, savings and audit event; returns the credit where one is due and
 * deletes the sealed input unless it is kept for further runs. The caller's transaction holds the lock of the row.
 */
export async function writeEnd(tx: Store, row: InstanceRow, change: Transition, end: InstanceEnd): Promise<void> {
  const { seq, lastLine } = end.report ?? { seq: row.last_report, lastLine: row.last_line };
  const success = change.next.status === 'success';
  const savings = success ? (end.savings ?? (await currentSavings(tx, row.process_id))) : NO_SAVINGS;
  tx.atCommit(
    `UPDATE instance SET status = ?, desired = ?, outcome = ?, fence = fence + ?, finished_at = UTC_TIMESTAMP(3),
            history_at = IF(trigger_kind = 'debug', NULL, COALESCE(started_at, accepted_at)),
            claimed_at = ${LEFT_QUEUE_AT}, error_step = ?, error_message = ?, savings_value = ?, fte_hours = ?,
            last_report = ?, last_line = ?, has_log = ?
      WHERE instance_id = ?`,
    [
      change.next.status,
      change.next.desired,
      end.outcome,
      // A new fence refuses the grant of an offer that is still in flight.
      row.status === 'unknown' ? 1 : 0,
      end.errorStep ?? null,
      end.errorMessage ?? null,
      savings.savingsValue,
      savings.fteHours,
      seq,
      lastLine,
      lastLine > 0,
      row.instance_id,
    ],
  );
  writeEndEvents(tx, [row.instance_id]);
  tx.atCommit('DELETE FROM instance_input WHERE instance_id = ? AND kept = 0', [row.instance_id]);
  tx.atCommit(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         VALUES (?, ?, NULL, 'end', ?, ?, UTC_TIMESTAMP(3))`,
    [row.process_id, row.instance_id, end.executor ?? row.executor, endDetail(change, end.outcome)],
  );
  if (change.refund && row.trigger_kind !== 'debug') {
    refundInstances(tx, [{ companyID: row.company_id, instanceID: row.instance_id }]);
  }
}

/**
 * `writeEnd` for many instances that end in the queue, in a few statements. All of them make the same `change`, since an event
 * moves every queued instance alike, and none has a log, savings or an error.
 */
export function writeQueueEnds(
  tx: Store,
  rows: InstanceRow[],
  change: Transition,
  { outcome, executor }: { outcome: Outcome; executor: string },
): void {
  if (rows.length === 0) return;
  const instanceIDs = rows.map((row) => row.instance_id);
  tx.atCommit(
    `UPDATE instance SET status = ?, desired = ?, outcome = ?, finished_at = UTC_TIMESTAMP(3),
            history_at = IF(trigger_kind = 'debug', NULL, COALESCE(started_at, accepted_at)), claimed_at = ${LEFT_QUEUE_AT}
      WHERE instance_id IN (?)`,
    [change.next.status, change.next.desired, outcome, instanceIDs],
  );
  writeEndEvents(tx, instanceIDs);
  tx.atCommit('DELETE FROM instance_input WHERE instance_id IN (?) AND kept = 0', [instanceIDs]);
  const refunded = change.refund ? rows.filter((row) => row.trigger_kind !== 'debug') : [];
  tx.atCommit(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       SELECT process_id, instance_id, NULL, 'end', ?, ?, UTC_TIMESTAMP(3) FROM instance WHERE instance_id IN (?)`,
    [executor, endDetail(change, outcome), instanceIDs],
  );
  refundInstances(
    tx,
    refunded.map((row) => ({ companyID: row.company_id, instanceID: row.instance_id })),
  );
}

function endDetail(change: Transition, outcome: Outcome): string {
  return JSON.stringify({ status: change.next.status, outcome, refunded: change.refund === true });
}

/** The savings according to the current registration of the process; none when the process has been deleted. */
async function currentSavings(tx: Store, processID: string): Promise<Savings> {
  const row = await tx.row<{ avg_human_time: string; avg_operator_cost: string }>(
    'SELECT avg_human_time, avg_operator_cost FROM process WHERE process_id = ?',
    [processID],
  );
  return row ? savingsOf(row.avg_human_time, Number(row.avg_operator_cost)) : NO_SAVINGS;
}

/** The savings of each instance if it succeeded now, by instance id. */
export async function savingsByInstance(store: Store, instanceIDs: string[]): Promise<Map<string, Savings>> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await store.rows<{ instance_id: string; avg_human_time: string; avg_operator_cost: string }>(
    `SELECT i.instance_id, p.avg_human_time, p.avg_operator_cost FROM instance i
       JOIN process p ON p.process_id = i.process_id WHERE i.instance_id IN (?)`,
    [instanceIDs],
  );
  return new Map(rows.map((row) => [row.instance_id, savingsOf(row.avg_human_time, Number(row.avg_operator_cost))]));
}
