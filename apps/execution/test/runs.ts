import { v7 as uuid } from 'uuid';
import type { ExecutionWorld, TestProcess } from './world';

/** Minute 0 of the inserted runs, by their time of acceptance. */
export const BASE_TIME = Date.UTC(2026, 10, 20, 12);

export interface InsertedRun {
  /** Minutes from BASE_TIME to the acceptance. */
  minute: number;
  status?: string;
  /** Null for a run that has not ended. */
  outcome?: string | null;
  trigger?: string;
  starterID?: string | null;
  /** Duration of an ended run. */
  seconds?: number;
}

/** Inserts an instance that was accepted `minute` minutes after BASE_TIME and began at once. */
export async function addRun(world: ExecutionWorld, at: TestProcess, ran: InsertedRun): Promise<string> {
  const {
    minute,
    status = 'success',
    outcome = 'FINALIZED',
    trigger = 'api',
    starterID = at.ownerID,
    seconds = 1,
  } = ran;
  const instanceID = uuid();
  const accepted = new Date(BASE_TIME + minute * 60_000);
  const finished = outcome === null ? null : new Date(accepted.getTime() + seconds * 1_000);
  await world.store.write(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id,
       version_id, version, trigger_kind, user_name, executor, request_id, status, outcome, accepted_as, accepted_at, started_at,
       finished_at, history_at) VALUES (?, ?, 'P', ?, ?, ?, ?, ?, 1, ?, 'u', 'e', 'r', ?, ?, 'started', ?, ?, ?, ?)`,
    [
      instanceID,
      at.processID,
      at.ownerID,
      at.companyID,
      starterID,
      at.environmentID,
      at.versionID,
      trigger,
      status,
      outcome,
      accepted,
      accepted,
      finished,
      finished && accepted,
    ],
  );
  return instanceID;
}

/**
 * Inserts runs that were started by API, one a second on the day after BASE_TIME. Their status is `success` unless `status` is given, but they
 * have no outcome and no times of start and end, so no history has them.
 */
export async function addManyRuns(
  world: ExecutionWorld,
  at: TestProcess,
  { count, status = 'success' }: { count: number; status?: string },
): Promise<void> {
  await world.store.write(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
     SELECT UUID(), ?, 'P', ?, ?, ?, ?, 1, 'api', 'u', 'e', 'r', ?, 'started', '2026-11-21' + INTERVAL seq SECOND
       FROM seq_1_to_${count}`,
    [at.processID, at.ownerID, at.companyID, at.environmentID, at.versionID, status],
  );
}

/** Inserts a second process of the same owner, in the same environment and without a version of its own. */
export async function addSecondProcess(world: ExecutionWorld, at: TestProcess): Promise<TestProcess> {
  const processID = uuid();
  await world.store.write(
    `INSERT INTO process (process_id, account_id, company_id, environment_id, process_name, created_at)
     VALUES (?, ?, ?, ?, 'Q', UTC_TIMESTAMP(3))`,
    [processID, at.ownerID, at.companyID, at.environmentID],
  );
  return { ...at, processID };
}
