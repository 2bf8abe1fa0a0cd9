import { requireGranted, type Permission, type Permissions } from '@batuta/auth';
import { lockAccountOfCaller } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { Process, ProcessShare } from '../registry';
import { toCaller, type SessionIdentity } from '../sessions/caller';
import { ALL_PERMISSIONS, permissionsOf } from './permissions';

/** A process as one account sees it: `permissions` are those of its share, and all six for the owner. */
export interface AccessibleProcess {
  process: Process;
  owned: boolean;
  permissions: Permissions;
}

/** What an account needs for a call: a permission, or to own the process. */
export type Right = Permission | 'owner';

/** Tells the controllers and services of the console what an account may do with a process: its own, or one shared with it. */
@Injectable()
export class ProcessAccessService {
  constructor(private readonly store: Store) {}

  /** Throws PROCESS_NOT_FOUND when the account neither owns the process nor has a share of it, as if it did not exist. */
  async requireReadable(accountID: string, processID: string, store = this.store): Promise<AccessibleProcess> {
    const accessible = await this.find(accountID, processID, store);
    if (!accessible) throw new ApiError('PROCESS_NOT_FOUND');
    return accessible;
  }

  /** Throws PROCESS_NOT_FOUND as `requireReadable` does, and FORBIDDEN when the account has a share without the right (interpretation 12). */
  async require(accountID: string, processID: string, right: Right, store = this.store): Promise<AccessibleProcess> {
    const accessible = await this.requireReadable(accountID, processID, store);
    if (right !== 'owner') requireGranted(accessible.permissions, right);
    else if (!accessible.owned) throw new ApiError('FORBIDDEN', 'Only the owner of the process may do this.');
    return accessible;
  }

  /**
   * Locks the process to the end of the transaction, and then checks what may have changed while the call waited for the lock: throws
   * OWNER_INACTIVE for a blocked account or a suspended company, INVALID_CREDENTIAL for an ended session, and what `require` throws. Each
   * transaction in which a caller changes a process calls it before its changes.
   */
  async lock(tx: Store, caller: SessionIdentity, processID: string, right: Right): Promise<AccessibleProcess> {
    await lockProcess(tx, processID);
    await lockAccountOfCaller(tx, toCaller(caller));
    return this.require(caller.accountID, processID, right, tx);
  }

  /** Undefined when the account neither owns the process nor has a share of it. */
  async find(accountID: string, processID: string, store = this.store): Promise<AccessibleProcess | undefined> {
    const process = await store.repository(Process).findOneBy({ id: processID });
    if (!process) return undefined;
    if (process.accountID === accountID) return { process, owned: true, permissions: ALL_PERMISSIONS };
    const share = await store.repository(ProcessShare).findOneBy({ processID, accountID });
    return share ? { process, owned: false, permissions: permissionsOf(share) } : undefined;
  }
}

/**
 * Locks the row to the end of the transaction; throws PROCESS_NOT_FOUND. What the console stores of a process, such as shares, keys and
 * versions, changes under this lock, with two exceptions: a change of an account's e-mail address deletes invitations, and the creation of
 * a key deletes unusable keys of other processes, under the lock of the company.
 */
export async function lockProcess(tx: Store, id: string): Promise<Process> {
  const lock = { mode: 'pessimistic_write' } as const;
  const process = await tx.repository(Process).findOne({ where: { id }, lock });
  if (!process) throw new ApiError('PROCESS_NOT_FOUND');
  return process;
}
