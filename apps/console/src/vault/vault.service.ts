import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { VaultSecret } from '../registry';

const MOST_KEYS = 500;

/** The secrets that an account's flows read as `{vault.KEY}`. They go in; only their names come out. */
@Injectable()
export class VaultService {
  constructor(
    private readonly store: Store,
    private readonly keyRing: KeyRing,
  ) {}

  async put(accountID: string, key: string, value: string): Promise<void> {
    const secrets = this.store.repository(VaultSecret);
    const isNew = !(await secrets.existsBy({ accountID, key }));
    if (isNew && (await secrets.countBy({ accountID })) >= MOST_KEYS) {
      throw new ApiError('CONFLICT', `The vault holds ${MOST_KEYS} keys and no more.`);
    }
    // Bound to its place: copied to another account or key it does not open.
    const sealed = this.keyRing.seal(value, `vault:${accountID}:${key}`);
    await secrets.upsert({ accountID, key, sealed, updatedAt: new Date() }, ['accountID', 'key']);
  }

  list(accountID: string): Promise<VaultSecret[]> {
    const select = { accountID: true, key: true, updatedAt: true } as const;
    return this.store
      .repository(VaultSecret)
      .find({ where: { accountID }, select, order: { key: 'ASC' }, take: MOST_KEYS });
  }

  async remove(accountID: string, key: string): Promise<void> {
    const { affected } = await this.store.repository(VaultSecret).delete({ accountID, key });
    if (!affected) throw new ApiError('NOT_FOUND', 'key: the vault has no such key');
  }
}
