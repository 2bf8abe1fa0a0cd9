import type { Outcome } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { refundInstances } from '../credits/ledger';
import { writeEndEvents } from './end-events';
import type { InstanceRow } from './instance-row';
import { NO_SAVINGS, savingsOf, type Savings } from './savings';
import { writeShareEvents } from './share-event.repository';
import { transition, type Transition } from './transition';

/** The executor of the ends in a queue that the error of another instance cancelled (contract 4.17). */
export const CANCELLED_QUEUE_EXECUTOR = 'cancelQueueOnException';

/** The end of an instance whose row the transaction has locked. */
export interface InstanceEnd {
  row: InstanceRow;
  change: Transition;
  outcome: Outcome;
  errorStep?: string | null;
  errorMessage?: string | null;
  /** The executor that caused the end; the executor of the start when absent. */
  executor?: string;
  /** The hours and the money that a success saved a person. */
  savings?: Savings;
  /** The report that brings the end. */
  report?: ReportProgress;
}

/** The numbers of the last report and of the last log line of an instance. */
export interface ReportProgress {
  seq: number;
  lastLine: number;
}

/** The end of a running instance whose result is not known: as stopped when a stop was requested, else as crashed. Throws for one that does not run. */
export function endWithoutResult(row: InstanceRow, errorMessage: string): InstanceEnd {
  const change = transition(row, { type: 'lost' });
  if ('refused' in change || !change.outcome) throw new Error(`The instance ${row.instance_id} does not run`);
  return { row, change, outcome: change.outcome, errorMessage };
}

/**
 * An instance that ends in the queue gets a `claimed_at`, too: the index `instance_queue_needs` has no status, and its
 * entries without `claimed_at` are the queue.
 */
const LEFT_QUEUE_AT = 'COALESCE(claimed_at, UTC_TIMESTAMP(3))';

/** Sets `has_log` for instances without log lines, too: retention then deletes their kept values after as many days as log lines. */
const END_SQL = `UPDATE instance SET status = ?, desired = ?, outcome = ?, fence = fence + ?, finished_at = UTC_TIMESTAMP(3),
        history_at = IF(trigger_kind = 'debug', NULL, COALESCE(started_at, accepted_at)),
        claimed_at = ${LEFT_QUEUE_AT}, error_step = ?, error_message = ?, savings_value = ?, fte_hours = ?,
        last_report = ?, last_line = ?, has_log = 1
  WHERE instance_id IN (?)`;

/**
 * Writes the ends of instances with the commit: status, savings, audit events and deliveries of events. Refunds the credits where they are due,
 * and deletes the sealed inputs that are not kept to show the values and to run with them again. Instances that end alike share statements.
 */
export function writeEnds(tx: Store, ends: InstanceEnd[]): void {
  if (ends.length === 0) return;
  const instanceIDs = ends.map(({ row }) => row.instance_id);
  for (const alike of Map.groupBy(ends, (end) => JSON.stringify(endColumns(end))).values()) {
    const [first] = alike;
    if (first) tx.atCommit(END_SQL, [...endColumns(first), alike.map(({ row }) => row.instance_id)]);
  }
  writeEndEvents(tx, instanceIDs);
  tx.atCommit('DELETE FROM instance_input WHERE instance_id IN (?) AND kept = 0', [instanceIDs]);
  tx.atCommit(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
     VALUES ${ends.map(() => "(?, ?, NULL, 'end', ?, ?, UTC_TIMESTAMP(3))").join(', ')}`,
    ends.flatMap((end) => [
      end.row.process_id,
      end.row.instance_id,
      end.executor ?? end.row.executor,
      JSON.stringify({ status: end.change.next.status, outcome: end.outcome, refunded: isRefunded(end) }),
    ]),
  );
  writeShareEvents(
    tx,
    ends.map(({ row }) => row),
  );
  refundInstances(
    tx,
    ends.filter(isRefunded).map(({ row }) => ({ companyID: row.company_id, instanceID: row.instance_id })),
  );
}

/** The parameters of END_SQL, without the instance ids at its end. */
function endColumns({ row, change, outcome, errorStep, errorMessage, savings, report }: InstanceEnd): unknown[] {
  const { savingsValue, fteHours } = (change.next.status === 'success' && savings) || NO_SAVINGS;
  const { seq, lastLine } = report ?? { seq: row.last_report, lastLine: row.last_line };
  // A new fence refuses the grant of an offer that is still in flight.
  const fenceStep = row.status === 'unknown' ? 1 : 0;
  return [
    change.next.status,
    change.next.desired,
    outcome,
    fenceStep,
    errorStep ?? null,
    errorMessage ?? null,
    savingsValue,
    fteHours,
    seq,
    lastLine,
  ];
}

/** Whether the credit of the instance is returned; a debug run cost none. */
function isRefunded({ row, change }: InstanceEnd): boolean {
  return change.refund === true && row.trigger_kind !== 'debug';
}

/** The savings that each instance has if it succeeds now, by instance id; instances of deleted processes are missing. */
export async function savingsByInstance(store: Store, instanceIDs: string[]): Promise<Map<string, Savings>> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await store.rows<{ instance_id: string; avg_human_time: string; avg_operator_cost: string }>(
    `SELECT i.instance_id, p.avg_human_time, p.avg_operator_cost FROM instance i
       JOIN process p ON p.process_id = i.process_id WHERE i.instance_id IN (?)`,
    [instanceIDs],
  );
  return new Map(rows.map((row) => [row.instance_id, savingsOf(row.avg_human_time, Number(row.avg_operator_cost))]));
}
