import { lockAccountOfCaller, lockCompanyInShareMode } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { toCaller, type SessionCaller } from './caller';

/**
 * Checks the caller again, because since the call began it may have been blocked, its company suspended (OWNER_INACTIVE) or its session ended
 * (INVALID_CREDENTIAL). What it found holds until the transaction ends: a transaction that suspends a company, blocks an account or ends a session
 * locks its row. A transaction that changes a process calls `ProcessAccessService.lock` instead.
 */
export async function lockCaller(tx: Store, caller: SessionCaller): Promise<void> {
  if (caller.companyID !== null) await lockCompanyInShareMode(tx, caller.companyID);
  await lockAccountOfCaller(tx, toCaller(caller));
}
