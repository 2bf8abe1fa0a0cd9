import type { Outcome } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { refund } from '../credit/ledger';
import type { InstanceRow } from './bodies';
import { NO_SAVINGS, savingsOf } from './savings';
import type { Moved } from './transition';

export interface Ending {
  outcome: Outcome;
  errorStep?: string | null;
  errorMessage?: string | null;
  /** Whose action ended it; the executor of the instance itself when left out. */
  executor?: string;
}

/**
 * Writes the end of an instance: status, figures, audit; gives the credit back where it is due, and destroys the sealed
 * input. Part of the caller's transaction, which holds the row's lock.
 */
export async function writeEnd(tx: Store, row: InstanceRow, moved: Moved, ending: Ending): Promise<void> {
  const savings = moved.moved.status === 'success' ? await currentSavings(tx, row.process_id) : NO_SAVINGS;
  const writes: Promise<unknown>[] = [
    tx.write(
      `UPDATE instance SET status = ?, desired = ?, outcome = ?, fence = fence + ?, finished_at = UTC_TIMESTAMP(3),
            history_at = IF(trigger_kind = 'debug', NULL, COALESCE(started_at, accepted_at)),
            error_step = ?, error_message = ?, savings_value = ?, fte_hours = ?
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
        row.instance_id,
      ],
    ),
    tx.write('DELETE FROM instance_input WHERE instance_id = ?', [row.instance_id]),
    tx.write(
      `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         VALUES (?, ?, NULL, 'end', ?, ?, UTC_TIMESTAMP(3))`,
      [
        row.process_id,
        row.instance_id,
        ending.executor ?? row.executor,
        JSON.stringify({ status: moved.moved.status, outcome: ending.outcome, refunded: moved.refund === true }),
      ],
    ),
  ];
  if (moved.refund && row.trigger_kind !== 'debug') {
    writes.push(refund(tx, [{ companyID: row.company_id, instanceID: row.instance_id }]));
  }
  await Promise.all(writes);
}

/** The figures that the process carries now; a process deleted meanwhile saved nothing. */
async function currentSavings(tx: Store, processID: string): Promise<{ fteHours: number; savingsValue: number }> {
  const row = await tx.row<{ avg_human_time: string; avg_operator_cost: string }>(
    'SELECT avg_human_time, avg_operator_cost FROM process WHERE process_id = ?',
    [processID],
  );
  return row ? savingsOf(row.avg_human_time, Number(row.avg_operator_cost)) : NO_SAVINGS;
}
