import { requireRoom } from '@batuta/catalog';
import { isDuplicate, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Account, Company } from '../registry';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import type { CompanyCaller } from '../sessions/caller';
import { PasswordHasher } from '../sessions/password-hasher';
import type { AccountInput } from './account.dto';

@Injectable()
export class AccountService {
  constructor(
    private readonly store: Store,
    private readonly passwords: PasswordHasher,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  async add(companyID: string, { email, name, password, role }: AccountInput): Promise<Account> {
    const exists = await this.store.repository(Company).existsBy({ id: companyID });
    if (!exists) throw new ApiError('NOT_FOUND', 'No such company.');
    const passwordHash = await this.passwords.hash(password);
    const account = { id: uuid(), companyID, email, name, role, passwordHash, blocked: false, createdAt: new Date() };
    await this.store.transaction(async (tx) => {
      await requireRoom(tx, companyID, 'accounts', this.config.QUOTA_ACCOUNTS);
      await tx.repository(Account).insert(account).catch(refuseDuplicate);
    });
    return account;
  }

  list({ companyID }: CompanyCaller, page: PageQuery): Promise<Account[]> {
    const { earlier, ...rest } = newestFirst(page);
    return this.store.repository(Account).find({ where: { companyID, ...earlier }, ...rest });
  }

  /** Takes effect at once, because every call reads the account. */
  async block({ accountID, companyID }: CompanyCaller, id: string, blocked: boolean): Promise<Account> {
    if (blocked && id === accountID) throw new ApiError('CONFLICT', 'blocked: an administrator cannot block itself');
    const accounts = this.store.repository(Account);
    await accounts.update({ id, companyID }, { blocked });
    const account = await accounts.findOneBy({ id, companyID });
    if (!account) throw new ApiError('NOT_FOUND', 'No such account.');
    return account;
  }
}

function refuseDuplicate(error: unknown): never {
  throw isDuplicate(error) ? new ApiError('CONFLICT', 'email: another account has it') : error;
}
