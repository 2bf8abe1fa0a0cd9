import { recordAction } from '@batuta/audit';
import { mintSecret } from '@batuta/auth';
import { requireRoom } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { ProcessKey } from '../registry';
import { deleteUnusableKeys } from '../registry/delete-unusable-secrets';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import { ProcessAccessService } from '../access/process-access.service';
import { notFound } from '../http/not-found';
import type { CompanyCaller } from '../sessions/caller';
import type { KeyInput } from './key.dto';

/**
 * Process keys (contract 2.1): the owner generates them; the permission `api` allows listing and revoking them. Each change also throws what
 * `lockAccountOfCaller` throws.
 */
@Injectable()
export class KeyService {
  constructor(
    private readonly store: Store,
    private readonly access: ProcessAccessService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * Returns the value, of which only a hash is stored. Throws QUOTA_EXCEEDED, FORBIDDEN for a process that is only shared with the caller, and
   * PROCESS_NOT_FOUND for one that it does not see. Deletes unusable keys of the company beyond their limit.
   */
  async mint(
    caller: CompanyCaller,
    processID: string,
    { identifier, expiresAt }: KeyInput,
  ): Promise<{ id: string; value: string }> {
    const { process } = await this.access.require(caller.accountID, processID, 'owner');
    const id = uuid();
    const { value, hash: secretHash } = mintSecret('bpk');
    const row = { id, processID, identifier, secretHash, createdAt: new Date(), expiresAt, revokedAt: null };
    await this.store.transaction(async (tx) => {
      await requireRoom(tx, process.companyID, 'processKeys', this.config.QUOTA_PROCESS_KEYS);
      await this.access.lock(tx, caller, processID, 'owner');
      await deleteUnusableKeys(tx, process.companyID);
      await tx.repository(ProcessKey).insert(row);
      const { companyID } = process;
      recordAction(tx, { action: 'key.add', objectID: id, companyID, processID, detail: { identifier } });
    });
    return { id, value };
  }

  /** The keys of a process, also revoked and expired ones, newest first. */
  async list(accountID: string, processID: string, page: PageQuery): Promise<ProcessKey[]> {
    await this.access.require(accountID, processID, 'api');
    const { earlier, ...rest } = newestFirst(page);
    return this.store.repository(ProcessKey).find({ where: { processID, ...earlier }, ...rest });
  }

  /** Revokes a process key, for accounts with `api`; if it was revoked before, the first time stays. Throws NOT_FOUND and FORBIDDEN. */
  async revoke(caller: CompanyCaller, id: string): Promise<void> {
    const key = await this.store.repository(ProcessKey).findOneBy({ id });
    if (!key) throw notFound('process key');
    const { processID, identifier } = key;
    // This check comes before the locks, because a stranger must not take them.
    await this.access.require(caller.accountID, processID, 'api').catch(refuseAsUnknown);
    await this.store.transaction(async (tx) => {
      const { process } = await this.access.lock(tx, caller, processID, 'api').catch(refuseAsUnknown);
      const { companyID } = process;
      const unrevoked = { id, revokedAt: IsNull() };
      const { affected } = await tx.repository(ProcessKey).update(unrevoked, { revokedAt: new Date() });
      if (!affected) return;
      recordAction(tx, { action: 'key.revoke', objectID: id, companyID, processID, detail: { identifier } });
    });
  }
}

/** Somebody who cannot see the process is told that the key does not exist. */
function refuseAsUnknown(error: unknown): never {
  throw error instanceof ApiError && error.code === 'PROCESS_NOT_FOUND' ? notFound('process key') : error;
}
