import { isDuplicate, Store } from '@batuta/database';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Account } from '../registry';
import { PasswordHasher } from './password-hasher';

/** The tenant in the hash queue for the hashes that the start of the console needs. */
const START_UP_TENANT = 'start-up';

/**
 * Makes the operator's account match the settings before the console listens; several replicas may do so at the same
 * time. A changed password ends the sessions of the old one, and an operator with another e-mail address is blocked.
 */
@Injectable()
export class OperatorAccountSetup implements OnModuleInit {
  constructor(
    private readonly store: Store,
    private readonly passwords: PasswordHasher,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  async onModuleInit(): Promise<void> {
    const { OPERATOR_EMAIL: email, OPERATOR_PASSWORD: password } = this.config;
    const known =
      (await this.find(email)) ?? (await this.create(email, await this.passwords.hash(password, START_UP_TENANT)));
    if (known.role !== 'operator') throw new Error('OPERATOR_EMAIL: belongs to an account that is no operator');
    const isCurrent = await this.passwords.verify(known.passwordHash, password, START_UP_TENANT);
    const passwordHash = isCurrent ? known.passwordHash : await this.passwords.hash(password, START_UP_TENANT);
    await this.store.transaction(async (tx) => {
      await tx.write("UPDATE account SET blocked = 1 WHERE role = 'operator' AND account_id <> ?", [known.id]);
      await tx.repository(Account).update({ id: known.id }, { passwordHash, blocked: false });
      if (!isCurrent) await tx.write('DELETE FROM login_session WHERE account_id = ?', [known.id]);
    });
  }

  private find(email: string): Promise<Account | null> {
    return this.store.repository(Account).findOneBy({ email });
  }

  private async create(email: string, passwordHash: string): Promise<Account> {
    const account = {
      id: uuid(),
      companyID: null,
      email,
      name: 'Operator',
      role: 'operator' as const,
      passwordHash,
      blocked: false,
      createdAt: new Date(),
    };
    await this.store
      .repository(Account)
      .insert(account)
      .catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
      });
    const created = await this.find(email);
    if (!created) throw new Error('OPERATOR_EMAIL: the account could not be created');
    return created;
  }
}
