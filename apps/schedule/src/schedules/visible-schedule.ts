import { lockAccountOfCaller, lockCredential, lockProcessInShareMode } from '@batuta/catalog';
import type { ApiCaller } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { findScheduleFacts, type ScheduleFacts } from '../processes/process.repository';
import { findSchedule, lockSchedule, type ScheduleRow } from './schedule.repository';

/** A schedule that an account created or whose process it owns. */
export interface VisibleSchedule {
  row: ScheduleRow;
  facts: ScheduleFacts;
}

/** Throws SCHEDULE_NOT_FOUND unless the account created the schedule or owns its process (interpretation 14). */
export async function requireVisibleSchedule(
  store: Store,
  row: ScheduleRow | undefined,
  accountID: string,
): Promise<VisibleSchedule> {
  const facts = row && (await findScheduleFacts(store, [row.schedule_id])).get(row.schedule_id);
  if (!row || !facts) throw noSuchSchedule();
  if (row.creator_account_id !== accountID && facts.ownerAccountID !== accountID) throw noSuchSchedule();
  return { row, facts };
}

/**
 * Throws as `requireVisibleSchedule`, `lockAccountOfCaller` and `lockCredential` do. The process is locked before the schedule
 * (`lockPermission`), so that the share of the creator, which the facts contain, stays as it is until the transaction
 * ends.
 */
export async function lockVisibleSchedule(tx: Store, id: string, caller: ApiCaller): Promise<VisibleSchedule> {
  const { accountID, credentialID } = caller;
  // This check comes before the locks, because a stranger must not take them.
  const { row } = await requireVisibleSchedule(tx, await findSchedule(tx, id), accountID);
  await lockProcessInShareMode(tx, row.process_id).catch(refuseAsUnknown);
  await lockAccountOfCaller(tx, caller);
  if (credentialID !== undefined) await lockCredential(tx, credentialID);
  return requireVisibleSchedule(tx, await lockSchedule(tx, id), accountID);
}

/** The fields that all audit events of a schedule have in common. */
export function auditFieldsOf({ row, facts }: VisibleSchedule) {
  return {
    objectID: row.schedule_id,
    companyID: facts.companyID,
    processID: row.process_id,
    detail: { name: row.name },
  };
}

export function noSuchSchedule(): ApiError {
  return new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');
}

/** The schedules of a deleted process are unknown. */
function refuseAsUnknown(error: unknown): never {
  throw error instanceof ApiError && error.code === 'PROCESS_NOT_FOUND' ? noSuchSchedule() : error;
}
