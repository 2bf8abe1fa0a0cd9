import { recordAction } from '@batuta/audit';
import { PERMISSIONS, type Permissions } from '@batuta/auth';
import { lockCompany, requireRoom, toPermissions } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { lockCompanyAccountByEmail } from '../access/company-account';
import { permissionsBeyond, permissionsOf } from '../access/permissions';
import { ProcessAccessService } from '../access/process-access.service';
import { type Account, ProcessShare, ShareInvitation } from '../registry';
import type { CompanyCaller } from '../sessions/caller';
import { Invitations } from '../access/invitations';
import type { ShareAnswer, ShareInput, ShareList, SharesQuery } from './share.dto';
import { findShare, readSharePage, type ShareRow } from './share-page.repository';

/**
 * The shares of a process (contract 2.3, interpretation 12). They are made and listed by e-mail address, and an address without an account gets an
 * invitation, so that no answer reveals which accounts other companies have. Each method also throws what `ProcessAccessService.require` throws, and
 * each change what its `lock` throws.
 */
@Injectable()
export class ShareService {
  constructor(
    private readonly store: Store,
    private readonly access: ProcessAccessService,
    private readonly invitations: Invitations,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** The shares and invitations of a process together, newest first, page by page. */
  async list(caller: CompanyCaller, processID: string, query: SharesQuery): Promise<ShareList> {
    await this.access.require(caller.accountID, processID, 'share');
    const { rows, older } = await readSharePage(this.store, processID, query);
    return { shares: rows.map((row) => answerOfRow(caller, row)), ...(older && { older }) };
  }

  /** Throws NOT_FOUND for an address with which the process is not shared. */
  async find(caller: CompanyCaller, processID: string, email: string): Promise<ShareAnswer> {
    await this.access.require(caller.accountID, processID, 'share');
    const row = await findShare(this.store, processID, email);
    if (!row) throw notShared();
    return answerOfRow(caller, row);
  }

  /**
   * Creates or replaces a share, or an invitation for an address without an account. The owner grants any permission, other accounts only those
   * that they have or that the share has already; for any other permission it throws FORBIDDEN. A new share may throw QUOTA_EXCEEDED. Within
   * the company it throws BAD_REQUEST for the address of the owner, for which other companies get an invitation without effect.
   */
  async put(caller: CompanyCaller, processID: string, email: string, granted: ShareInput): Promise<ShareAnswer> {
    const { process } = await this.access.require(caller.accountID, processID, 'share');
    const account = await this.store.transaction(async (tx) => {
      await lockCompany(tx, process.companyID);
      const { permissions } = await this.access.lock(tx, caller, processID, 'share');
      // An account that was added after its invitation, and has not logged in yet, still has the invitation: that is the share to replace.
      await this.invitations.acceptOne(tx, processID, email);
      const found = await lockCompanyAccountByEmail(tx, email);
      const isOwner = found?.id === process.accountID;
      if (isOwner && caller.companyID === process.companyID)
        throw new ApiError('BAD_REQUEST', 'email: is the owner of the process');
      // To other companies the address of the owner looks like any other one: a refusal would confirm a guess.
      const receiver = isOwner ? null : found;
      const room = () => requireRoom(tx, process.companyID, 'shares', this.config.QUOTA_SHARES);
      if (receiver)
        await replaceShare(tx, ProcessShare, { processID, accountID: receiver.id }, permissions, granted, room);
      else await replaceShare(tx, ShareInvitation, { processID, email }, permissions, granted, room);
      const { companyID } = process;
      const detail = { permissions: PERMISSIONS.filter((name) => granted[name]) };
      recordAction(tx, { action: 'share.put', objectID: email, companyID, processID, detail });
      return receiver;
    });
    // Invitations are accepted here as well, because the account may have been added, and may have logged in, since the
    // transaction read it. The call is made whether or not an account exists, so that the response time does not reveal it.
    await this.invitations.accept(email);
    return toAnswer(caller, email, account, granted);
  }

  /** Ends a share or withdraws an invitation; throws NOT_FOUND for an address with which the process is not shared. */
  async remove(caller: CompanyCaller, processID: string, email: string): Promise<void> {
    await this.access.require(caller.accountID, processID, 'share');
    await this.store.transaction(async (tx) => {
      const { process } = await this.access.lock(tx, caller, processID, 'share');
      const account = await lockCompanyAccountByEmail(tx, email);
      const { companyID } = process;
      const invited = await tx.repository(ShareInvitation).delete({ processID, email });
      const shared = await tx.repository(ProcessShare).delete({ processID, accountID: account?.id ?? '' });
      if (!invited.affected && !shared.affected) throw notShared();
      recordAction(tx, { action: 'share.delete', objectID: email, companyID, processID });
    });
  }
}

type ShareKey = { processID: string; accountID: string } | { processID: string; email: string };

/**
 * Writes a share or an invitation under the lock of its process. `permissions` are those of the caller; throws FORBIDDEN for a granted one that
 * neither the caller nor the share has.
 */
async function replaceShare(
  tx: Store,
  entity: new () => ProcessShare | ShareInvitation,
  key: ShareKey,
  permissions: Permissions,
  granted: ShareInput,
  requireRoomForOne: () => Promise<void>,
): Promise<void> {
  const shares = tx.repository<ProcessShare | ShareInvitation>(entity);
  const current = await shares.findOneBy(key);
  const [refused] = permissionsBeyond(permissions, granted, current ?? undefined);
  if (refused !== undefined)
    throw new ApiError('FORBIDDEN', `${refused}: only an account with this permission grants it`);
  if (current) {
    await shares.update(key, granted);
    return;
  }
  await requireRoomForOne();
  await shares.insert(Object.assign({ createdAt: new Date() }, key, granted));
}

function notShared(): ApiError {
  return new ApiError('NOT_FOUND', 'email: the process is not shared with it');
}

function answerOfRow(caller: CompanyCaller, row: ShareRow): ShareAnswer {
  const account = row.name === null ? null : { name: row.name, companyID: row.company_id };
  return toAnswer(caller, row.email, account, toPermissions(row));
}

/** Shows the name only to accounts of the same company, so that others cannot tell whether an address has an account. */
function toAnswer(
  { companyID }: CompanyCaller,
  email: string,
  account: Pick<Account, 'name' | 'companyID'> | null,
  permissions: ShareInput,
): ShareAnswer {
  const name = account?.companyID === companyID ? account.name : '';
  return { email, name, permissions: permissionsOf(permissions) };
}
