import type { Outcome } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { refund } from '../credit/ledger';
import type { InstanceRow } from './bodies';
import { NO_SAVINGS, savingsOf, type Savings } from './savings';
import type { Moved } from './transition';

export interface Ending {
  outcome: Outcome;
  errorStep?: string | null;
  errorMessage?: string | null;
  /** Whose action ended it; the executor of the instance itself when left out. */
  executor?: string;
  /** What a success saved, when it is known already. */
  savings?: Savings;
  /** The report that brings the end. */
  report?: Progress;
}

/** How far the reports of an instance have come. */
export interface Progress {
  seq: number;
  lastLine: number;
}

/**
 * Writes the end of an instance: status, figures, audit; gives the credit back where it is due, and destroys the sealed
 * input. Part of the caller's transaction, which holds the row's lock; written with its commit.
 */
export async function writeEnd(tx: Store, row: InstanceRow, moved: Moved, ending: Ending): Promise<void> {
  const { seq, lastLine } = ending.report ?? { seq: row.last_report, lastLine: row.last_line };
  const success = moved.moved.status === 'success';
  const savings = success ? (ending.savings ?? (await currentSavings(tx, row.process_id))) : NO_SAVINGS;
  tx.atCommit(
    `UPDATE instance SET status = ?, desired = ?, outcome = ?, fence = fence + ?, finished_at = UTC_TIMESTAMP(3),
            history_at = IF(trigger_kind = 'debug', NULL, COALESCE(started_at, accepted_at)),
            error_step = ?, error_message = ?, savings_value = ?, fte_hours = ?,
            last_report = ?, last_line = ?, has_log = ?
      WHERE instance_id = ?`,
    [
      moved.moved.status,
      moved.moved.desired,
      ending.outcome,
      // An offer that was taken back must not be granted any more.
      row.status === 'unknown' ? 1 : 0,
      ending.errorStep ?? null,
      ending.errorMessage ?? null,
      savings.savingsValue,
      savings.fteHours,
      seq,
      lastLine,
      lastLine > 0,
      row.instance_id,
    ],
  );
  tx.atCommit('DELETE FROM instance_input WHERE instance_id = ?', [row.instance_id]);
  tx.atCommit(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         VALUES (?, ?, NULL, 'end', ?, ?, UTC_TIMESTAMP(3))`,
    [
      row.process_id,
      row.instance_id,
      ending.executor ?? row.executor,
      JSON.stringify({ status: moved.moved.status, outcome: ending.outcome, refunded: moved.refund === true }),
    ],
  );
  if (moved.refund && row.trigger_kind !== 'debug') {
    await refund(tx, [{ companyID: row.company_id, instanceID: row.instance_id }]);
  }
}

/** The figures that the process carries now; a process deleted meanwhile saved nothing. */
async function currentSavings(tx: Store, processID: string): Promise<Savings> {
  const row = await tx.row<{ avg_human_time: string; avg_operator_cost: string }>(
    'SELECT avg_human_time, avg_operator_cost FROM process WHERE process_id = ?',
    [processID],
  );
  return row ? savingsOf(row.avg_human_time, Number(row.avg_operator_cost)) : NO_SAVINGS;
}

/** The same for the processes of several instances, by instance. */
export async function savingsByInstance(store: Store, instanceIDs: string[]): Promise<Map<string, Savings>> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await store.rows<{ instance_id: string; avg_human_time: string; avg_operator_cost: string }>(
    `SELECT i.instance_id, p.avg_human_time, p.avg_operator_cost FROM instance i
       JOIN process p ON p.process_id = i.process_id WHERE i.instance_id IN (?)`,
    [instanceIDs],
  );
  return new Map(rows.map((row) => [row.instance_id, savingsOf(row.avg_human_time, Number(row.avg_operator_cost))]));
}
