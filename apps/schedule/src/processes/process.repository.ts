import type { Store } from '@batuta/database';

/** What decides whether the schedules of a process fire and which account owns them. */
export interface ProcessFacts {
  processID: string;
  ownerAccountID: string;
  companyID: string;
  paused: boolean;
  /** The plan of the company that owns the process includes scheduling (contract 4.13). */
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
export async function processFacts(store: Store, processIDs: string[]): Promise<Map<string, ProcessFacts>> {
  if (processIDs.length === 0) return new Map();
  const rows = await store.rows<ProcessRow>(
    `SELECT p.process_id, p.account_id, p.company_id, p.paused, plan.scheduling FROM process p
       JOIN company c ON c.company_id = p.company_id JOIN plan ON plan.plan_id = c.plan_id
      WHERE p.process_id IN (?)`,
    [[...new Set(processIDs)]],
  );
  return new Map(
    rows.map((row) => [
      row.process_id,
      {
        processID: row.process_id,
        ownerAccountID: row.account_id,
        companyID: row.company_id,
        paused: row.paused === 1,
        scheduling: row.scheduling === 1,
      },
    ]),
  );
}

/** True for the owner and for shares with the permission `schedule` (interpretation 12). */
export async function maySchedule(store: Store, processID: string, accountID: string): Promise<boolean> {
  const found = await store.row(
    `SELECT 1 AS found FROM process p
       LEFT JOIN process_share s ON s.process_id = p.process_id AND s.account_id = ? AND s.may_schedule = 1
      WHERE p.process_id = ? AND (p.account_id = ? OR s.account_id IS NOT NULL)`,
    [accountID, processID, accountID],
  );
  return found !== undefined;
}
