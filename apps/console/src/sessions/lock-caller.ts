import { lockActiveAccount, lockCompanyInShareMode } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import type { SessionCaller, SessionIdentity } from './caller';
import { UNKNOWN_SESSION } from './session-lookups';

/**
 * Throws OWNER_INACTIVE when the caller was blocked or its company suspended, and INVALID_CREDENTIAL when its session has ended, since the call
 * began. The answer holds until the transaction ends: whoever suspends a company, blocks an account, or ends its sessions with a new password,
 * locks that company or account first. A transaction that changes a process calls `ProcessAccessService.lock` instead.
 */
export async function lockCaller(tx: Store, caller: SessionCaller): Promise<void> {
  if (caller.companyID !== null) await lockCompanyInShareMode(tx, caller.companyID);
  await lockAccountOfCaller(tx, caller);
}

/** Throws as `lockCaller` does, for a transaction that has locked a process, which comes after companies: it reads the company without a lock. */
export async function lockAccountOfCaller(tx: Store, { accountID, tokenHash }: SessionIdentity): Promise<void> {
  await lockActiveAccount(tx, accountID);
  const session = await tx.row(
    'SELECT 1 AS found FROM login_session WHERE token_hash = ? AND expires_at > UTC_TIMESTAMP(3)',
    [tokenHash],
  );
  if (!session) throw new ApiError('INVALID_CREDENTIAL', UNKNOWN_SESSION);
}
