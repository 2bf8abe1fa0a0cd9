import type { Store } from '@batuta/database';

/** The facts of a process that decide whether its schedules fire, with its owner. */
export interface ProcessFacts {
  processID: string;
  ownerAccountID: string;
  /** The company that owns the process. */
  companyID: string;
  /** True: the firings of its schedules start nothing and are recorded as skipped. */
  paused: boolean;
  /** True when the plan of the company that owns the process includes scheduling (contract 4.13). */
  scheduling: boolean;
}

interface ProcessRow {
  process_id: string;
  account_id: string;
  company_id: string;
  paused: number;
  scheduling: number;
}

/** The facts by process id; a process that does not exist has no entry. */
export async function findProcessFacts(store: Store, processIDs: string[]): Promise<Map<string, ProcessFacts>> {
  if (processIDs.length === 0) return new Map();
  const rows = await store.rows<ProcessRow>(
    `SELECT p.process_id, p.account_id, p.company_id, p.paused, plan.scheduling FROM process p
       JOIN company c ON c.company_id = p.company_id JOIN plan ON plan.plan_id = c.plan_id
      WHERE p.process_id IN (?)`,
    [[...new Set(processIDs)]],
  );
  return new Map(rows.map((row) => [row.process_id, toProcessFacts(row)]));
}

/** The facts of a schedule: those of its process, and whether its creator may still schedule that process. */
export interface ScheduleFacts extends ProcessFacts {
  /**
   * True when the creator owns the process, or has a share with `schedule` and active access (interpretation 50). An owner without
   * active access counts as well, because execution refuses the starts of such an owner with its own code.
   */
  creatorMaySchedule: boolean;
}

/** The facts by schedule id; a schedule that does not exist, or whose process does not, has no entry. */
export async function findScheduleFacts(store: Store, scheduleIDs: string[]): Promise<Map<string, ScheduleFacts>> {
  if (scheduleIDs.length === 0) return new Map();
  const rows = await store.rows<ProcessRow & { schedule_id: string; creator_may_schedule: number }>(
    `SELECT s.schedule_id, p.process_id, p.account_id, p.company_id, p.paused, plan.scheduling,
            s.creator_account_id = p.account_id
              OR (COALESCE(share.may_schedule, 0) AND NOT COALESCE(a.blocked, 1) AND NOT COALESCE(ac.suspended, 1))
              AS creator_may_schedule
       FROM schedule s
       JOIN process p ON p.process_id = s.process_id
       JOIN company c ON c.company_id = p.company_id JOIN plan ON plan.plan_id = c.plan_id
       LEFT JOIN process_share share ON share.process_id = s.process_id AND share.account_id = s.creator_account_id
       LEFT JOIN account a ON a.account_id = s.creator_account_id
       LEFT JOIN company ac ON ac.company_id = a.company_id
      WHERE s.schedule_id IN (?)`,
    [scheduleIDs],
  );
  return new Map(
    rows.map((row) => [
      row.schedule_id,
      { ...toProcessFacts(row), creatorMaySchedule: row.creator_may_schedule === 1 },
    ]),
  );
}

/** True for the owner and for shares with the permission `schedule` (interpretation 12), whether or not the account has active access. */
export async function maySchedule(store: Store, processID: string, accountID: string): Promise<boolean> {
  const found = await store.row(
    `SELECT 1 AS found FROM process p
       LEFT JOIN process_share s ON s.process_id = p.process_id AND s.account_id = ? AND s.may_schedule = 1
      WHERE p.process_id = ? AND (p.account_id = ? OR s.account_id IS NOT NULL)`,
    [accountID, processID, accountID],
  );
  return found !== undefined;
}

function toProcessFacts(row: ProcessRow): ProcessFacts {
  return {
    processID: row.process_id,
    ownerAccountID: row.account_id,
    companyID: row.company_id,
    paused: row.paused === 1,
    scheduling: row.scheduling === 1,
  };
}
