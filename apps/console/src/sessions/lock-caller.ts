import { lockAccountOfCaller, lockCompanyInShareMode } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { toCaller, type SessionCaller } from './caller';

/**
 * Throws OWNER_INACTIVE when the caller was blocked or its company suspended, and INVALID_CREDENTIAL when its session has ended, since the call
 * began. The answer holds until the transaction ends: whoever suspends a company, blocks an account or ends a session locks its row. A
 * transaction that changes a process calls `ProcessAccessService.lock` instead.
 */
export async function lockCaller(tx: Store, caller: SessionCaller): Promise<void> {
  if (caller.companyID !== null) await lockCompanyInShareMode(tx, caller.companyID);
  await lockAccountOfCaller(tx, toCaller(caller));
}
