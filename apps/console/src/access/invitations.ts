import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { findCompanyAccountByEmail, lockCompanyAccountByEmail } from './company-account';
import { permissionsOf } from './permissions';
import { lockProcess } from './process-access.service';
import { ProcessShare, ShareInvitation } from '../registry';

/** Invitations: shares for e-mail addresses that have no account yet. */
@Injectable()
export class Invitations {
  constructor(private readonly store: Store) {}

  /**
   * Turns the invitations of an e-mail address into shares, if an account of a company has the address; otherwise they stay. Called by each
   * login with a password and by each share for the address. The account is read even when there are no invitations, so that the response
   * time does not reveal whether the address has one.
   */
  async accept(email: string): Promise<void> {
    const invitations = await this.store.repository(ShareInvitation).findBy({ email });
    if (!(await findCompanyAccountByEmail(this.store, email))) return;
    for (const { processID } of invitations) await this.acceptOne(this.store, processID, email);
  }

  /**
   * Turns the invitation of an e-mail address to one process into a share; if the account has a share already, only deletes the invitation. Does
   * nothing without invitation, account or process, nor for the owner of the process: the end of the invitation would tell accounts of other
   * companies that the address is the owner's.
   */
  async acceptOne(store: Store, processID: string, email: string): Promise<void> {
    await store.transaction(async (tx) => {
      const process = await lockProcess(tx, processID).catch(undefinedWhenDeleted);
      // Invitation and account are read again under locks: the invitation may have been withdrawn, or accepted by another login, and an
      // operator may have given the account another address.
      const invitation = await tx.repository(ShareInvitation).findOneBy({ processID, email });
      const account = await lockCompanyAccountByEmail(tx, email);
      if (!process || !invitation || !account || process.accountID === account.id) return;
      const accountID = account.id;
      await tx.repository(ShareInvitation).delete({ processID, email });
      const shared = await tx.repository(ProcessShare).existsBy({ processID, accountID });
      if (shared) return;
      const { createdAt } = invitation;
      await tx.repository(ProcessShare).insert({ processID, accountID, ...permissionsOf(invitation), createdAt });
    });
  }
}

/** Deletes the invitations of `email`, the new address of the account, to processes that are shared with it. */
export async function deleteRedundantInvitations(tx: Store, accountID: string, email: string): Promise<void> {
  // A DELETE with a join would lock the processes, which whoever changes a share locks before the account.
  const redundant = await tx.rows<{ process_id: string }>(
    `SELECT i.process_id FROM share_invitation i
      WHERE i.email = ? AND EXISTS (SELECT 1 FROM process_share s WHERE s.process_id = i.process_id AND s.account_id = ?)`,
    [email, accountID],
  );
  if (redundant.length === 0) return;
  const processIDs = redundant.map((row) => row.process_id);
  await tx.write('DELETE FROM share_invitation WHERE email = ? AND process_id IN (?)', [email, processIDs]);
}

function undefinedWhenDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== 'PROCESS_NOT_FOUND') throw error;
}
