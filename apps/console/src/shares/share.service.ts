import { lockCompany, requireRoom } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Account, Company, ProcessShare } from '../registry';
import { permissionsBeyond, permissionsOf } from '../access/permissions';
import { lockProcess, ProcessAccessService } from '../access/process-access.service';
import type { ShareAnswer, ShareInput } from './share.dto';

/** The shares of a process (contract 2.3, interpretation 12). */
@Injectable()
export class ShareService {
  constructor(
    private readonly store: Store,
    private readonly access: ProcessAccessService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  async list(accountID: string, processID: string, limit: number): Promise<ShareAnswer[]> {
    await this.access.require(accountID, processID, 'share');
    const order = { createdAt: 'DESC' } as const;
    const shares = await this.store.repository(ProcessShare).find({ where: { processID }, order, take: limit });
    const ids = shares.map((share) => share.accountID);
    const accounts = new Map(
      (await this.store.repository(Account).findBy({ id: In(ids) })).map((one) => [one.id, one]),
    );
    return shares.flatMap((share) => {
      const account = accounts.get(share.accountID);
      return account ? [toAnswer(account, share)] : [];
    });
  }

  /** Creates or replaces a share. The owner grants any permission, other accounts only those that they have. */
  async put(accountID: string, processID: string, email: string, granted: ShareInput): Promise<ShareAnswer> {
    const { process, permissions } = await this.access.require(accountID, processID, 'share');
    const account = await this.activeAccount(email);
    if (account.id === process.accountID) throw new ApiError('BAD_REQUEST', 'email: is the owner of the process');
    await this.store.transaction(async (tx) => {
      await lockCompany(tx, process.companyID);
      await lockProcess(tx, processID);
      const shares = tx.repository(ProcessShare);
      const key = { processID, accountID: account.id };
      const current = await shares.findOneBy(key);
      const [refused] = permissionsBeyond(permissions, granted, current ?? undefined);
      if (refused !== undefined) throw new ApiError('FORBIDDEN', `${refused}: only who has this permission grants it`);
      if (current) {
        await shares.update(key, granted);
        return;
      }
      await requireRoom(tx, process.companyID, 'shares', this.config.QUOTA_SHARES);
      await shares.insert(Object.assign({ createdAt: new Date() }, key, granted));
    });
    return toAnswer(account, granted);
  }

  async remove(accountID: string, processID: string, email: string): Promise<void> {
    await this.access.require(accountID, processID, 'share');
    const account = await this.store.repository(Account).findOneBy({ email });
    const key = { processID, accountID: account?.id ?? '' };
    const { affected } = await this.store.repository(ProcessShare).delete(key);
    if (!affected) throw new ApiError('NOT_FOUND', 'email: the process is not shared with it');
  }

  /** Throws the same NOT_FOUND for unknown and blocked accounts, those of suspended companies, and operators. */
  private async activeAccount(email: string): Promise<Account> {
    const account = await this.store.repository(Account).findOneBy({ email, blocked: false });
    const company = { id: account?.companyID ?? '', suspended: false };
    const active = account && (await this.store.repository(Company).existsBy(company));
    if (!active) throw new ApiError('NOT_FOUND', 'email: no active account has it');
    return account;
  }
}

function toAnswer({ email, name }: Account, permissions: ShareInput): ShareAnswer {
  return { email, name, permissions: permissionsOf(permissions) };
}
