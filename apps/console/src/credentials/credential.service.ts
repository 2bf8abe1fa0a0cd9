import { recordAction } from '@batuta/audit';
import { mintCredential } from '@batuta/auth';
import { requireRoom } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Credential } from '../registry';
import { deleteUnusableCredentials } from '../registry/delete-unusable-secrets';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import { notFound } from '../http/not-found';
import type { CompanyCaller } from '../sessions/caller';
import { lockCaller } from '../sessions/lock-caller';
import type { CredentialInput } from './credential.dto';

/** The account credentials of the API (contract 2.1). Each change also throws what `lockCaller` throws. */
@Injectable()
export class CredentialService {
  constructor(
    private readonly store: Store,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Returns the value, of which only a hash is stored. Throws QUOTA_EXCEEDED. Deletes unusable credentials of the company beyond their limit. */
  async mint(caller: CompanyCaller, { label, expiresAt }: CredentialInput): Promise<{ id: string; value: string }> {
    const { accountID, companyID } = caller;
    const id = uuid();
    const { value, hash: secretHash } = mintCredential(id);
    const row = { id, accountID, label, secretHash, createdAt: new Date(), expiresAt, revokedAt: null };
    await this.store.transaction(async (tx) => {
      await requireRoom(tx, companyID, 'credentials', this.config.QUOTA_CREDENTIALS);
      await lockCaller(tx, caller);
      await deleteUnusableCredentials(tx, companyID);
      await tx.repository(Credential).insert(row);
      recordAction(tx, { action: 'credential.add', objectID: id, companyID, detail: { label } });
    });
    return { id, value };
  }

  /** The credentials of an account, also revoked and expired ones, newest first. */
  list(accountID: string, page: PageQuery): Promise<Credential[]> {
    const { earlier, ...rest } = newestFirst(page);
    return this.store.repository(Credential).find({ where: { accountID, ...earlier }, ...rest });
  }

  /** Revokes a credential of the caller; if it was revoked before, the first time stays. Throws NOT_FOUND. */
  async revoke(caller: CompanyCaller, id: string): Promise<void> {
    const { accountID, companyID } = caller;
    await this.store.transaction(async (tx) => {
      await lockCaller(tx, caller);
      const credentials = tx.repository(Credential);
      const credential = await credentials.findOneBy({ id, accountID });
      if (!credential) throw notFound('credential');
      const { affected } = await credentials.update({ id, accountID, revokedAt: IsNull() }, { revokedAt: new Date() });
      if (!affected) return;
      recordAction(tx, { action: 'credential.revoke', objectID: id, companyID, detail: { label: credential.label } });
    });
  }
}
