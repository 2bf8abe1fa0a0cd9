import { recordAction } from '@batuta/audit';
import { lockCompany, requireRoom } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { KeyRing, sealingContexts } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { VaultSecret } from '../registry';
import type { CompanyCaller } from '../sessions/caller';
import { lockCaller } from '../sessions/lock-caller';

const MAX_VAULT_KEYS = 500;
/**
 * Maximum bytes of an account's sealed values: an instance whose flow reads all of them must fit into a message of NATS, of at most 8 MB, and JSON
 * may write a character as six.
 */
const MAX_VAULT_BYTES = 524_288;

/**
 * The secrets that the flows of an account read as `{vault.KEY}`. The API stores them and returns only their names. Each change also
 * throws what `lockCaller` throws.
 */
@Injectable()
export class VaultService {
  constructor(
    private readonly store: Store,
    private readonly keyRing: KeyRing,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Creates or replaces a secret. Throws QUOTA_EXCEEDED for the company, and CONFLICT for a full vault. */
  async put(caller: CompanyCaller, key: string, value: string): Promise<void> {
    const { accountID, companyID } = caller;
    const sealed = this.keyRing.seal(value, sealingContexts.vaultSecret(accountID, key));
    await this.store.transaction(async (tx) => {
      await lockCompany(tx, companyID);
      await lockCaller(tx, caller);
      const secrets = tx.repository(VaultSecret);
      const isNew = !(await secrets.existsBy({ accountID, key }));
      if (isNew && (await secrets.countBy({ accountID })) >= MAX_VAULT_KEYS) {
        throw new ApiError('CONFLICT', `The vault holds ${MAX_VAULT_KEYS} keys and no more; remove one first.`);
      }
      if (isNew) await requireRoom(tx, companyID, 'vaultKeys', this.config.QUOTA_VAULT_KEYS);
      await requireRoomForValue(tx, accountID, key, sealed);
      await secrets.upsert({ accountID, key, sealed, updatedAt: new Date() }, ['accountID', 'key']);
      recordAction(tx, { action: 'vault.put', objectID: key, companyID });
    });
  }

  /** The secrets of the account without their values: names and times of change, in the order of the character codes of the names. */
  list(accountID: string): Promise<VaultSecret[]> {
    const select = { accountID: true, key: true, updatedAt: true } as const;
    return this.store
      .repository(VaultSecret)
      .find({ where: { accountID }, select, order: { key: 'ASC' }, take: MAX_VAULT_KEYS });
  }

  /** Throws NOT_FOUND. Processes that may use the key keep that right, for a later secret of the same name. */
  async remove(caller: CompanyCaller, key: string): Promise<void> {
    const { accountID, companyID } = caller;
    await this.store.transaction(async (tx) => {
      await lockCaller(tx, caller);
      const { affected } = await tx.repository(VaultSecret).delete({ accountID, key });
      if (!affected) throw new ApiError('NOT_FOUND', 'key: the vault has no such key');
      recordAction(tx, { action: 'vault.delete', objectID: key, companyID });
    });
  }
}

/** Throws CONFLICT when the value makes the vault too large. A vault that is too large already may shrink. */
async function requireRoomForValue(tx: Store, accountID: string, key: string, sealed: Buffer): Promise<void> {
  const row = await tx.row<{ others: number; replaced: number }>(
    `SELECT COALESCE(SUM(IF(vault_key = ?, 0, LENGTH(sealed))), 0) AS others, COALESCE(SUM(IF(vault_key = ?, LENGTH(sealed), 0)), 0) AS replaced
       FROM vault_secret WHERE account_id = ?`,
    [key, key, accountID],
  );
  const { others, replaced } = { others: Number(row?.others), replaced: Number(row?.replaced) };
  if (sealed.length <= replaced || others + sealed.length <= MAX_VAULT_BYTES) return;
  throw new ApiError(
    'CONFLICT',
    'value: the values of the vault may have 512 KB together; remove or shorten one first',
  );
}
