import { requireActive, requireGranted, UNKNOWN_SESSION_MESSAGE, type Permission } from '@batuta/auth';
import type { Caller } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { toPermissions, type ShareColumns } from './access-row';

/**
 * Throws PROCESS_NOT_FOUND when the account neither owns the process nor has a share of it, FORBIDDEN when the share lacks the permission,
 * and what `lockAccountOfCaller` throws (interpretation 12). The right that it found holds until the transaction ends: whoever changes a share or
 * deletes the process locks the process first (`lockProcess` of the console). Transactions lock in this order: company, process, account, and
 * then what belongs to the process, such as an origin or a schedule.
 */
export async function lockPermission(
  tx: Store,
  caller: Caller,
  processID: string,
  permission: Permission,
): Promise<void> {
  const ownerAccountID = await lockProcessInShareMode(tx, processID);
  await lockAccountOfCaller(tx, caller);
  const { accountID } = caller;
  if (ownerAccountID === accountID) return;
  // At the isolation level READ COMMITTED this statement sees what the previous holder of the lock committed.
  const share = await tx.row<ShareColumns>(
    `SELECT may_execute, may_edit, may_api, may_schedule, may_delete, may_share FROM process_share
      WHERE process_id = ? AND account_id = ?`,
    [processID, accountID],
  );
  if (!share) throw new ApiError('PROCESS_NOT_FOUND');
  requireGranted(toPermissions(share), permission);
}

/**
 * Keeps the process from being deleted, and its shares from being changed, until the transaction ends. Returns the account that owns the
 * process; throws PROCESS_NOT_FOUND.
 */
export async function lockProcessInShareMode(tx: Store, processID: string): Promise<string> {
  const process = await tx.row<{ account_id: string }>(
    'SELECT account_id FROM process WHERE process_id = ? LOCK IN SHARE MODE',
    [processID],
  );
  if (!process) throw new ApiError('PROCESS_NOT_FOUND');
  return process.account_id;
}

/**
 * Throws OWNER_INACTIVE unless the account has active access, and INVALID_CREDENTIAL when its login session has ended. Keeps the account from
 * being blocked, and the session from being ended, until the transaction ends. The company is read but not locked: it may be suspended before
 * the transaction ends, unless the transaction has locked it before (`lockCompanyInShareMode`).
 */
export async function lockAccountOfCaller(tx: Store, { accountID, sessionHash }: Caller): Promise<void> {
  const account = await tx.row<{ blocked: number; company_id: string | null }>(
    'SELECT blocked, company_id FROM account WHERE account_id = ? LOCK IN SHARE MODE',
    [accountID],
  );
  const company = await tx.row<{ suspended: number }>('SELECT suspended FROM company WHERE company_id = ?', [
    account?.company_id ?? null,
  ]);
  requireActive({ blocked: account?.blocked !== 0, suspended: company?.suspended === 1 });
  if (sessionHash !== undefined) await lockSession(tx, sessionHash);
}

async function lockSession(tx: Store, sessionHash: string): Promise<void> {
  const session = await tx.row(
    'SELECT 1 AS found FROM login_session WHERE token_hash = ? AND expires_at > UTC_TIMESTAMP(3) LOCK IN SHARE MODE',
    [Buffer.from(sessionHash, 'hex')],
  );
  if (!session) throw new ApiError('INVALID_CREDENTIAL', UNKNOWN_SESSION_MESSAGE);
}
