import { execution } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { lockProcess } from '../access/process-access.service';
import { AllowedVaultKey } from '../registry';
import type { CompanyCaller } from '../sessions/caller';

/** The keys of its owner's vault that a process may use (interpretation 49). */
@Injectable()
export class AllowedKeysService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  async read(processID: string, store = this.store): Promise<string[]> {
    const rows = await store.repository(AllowedVaultKey).find({ where: { processID }, order: { key: 'ASC' } });
    return rows.map(({ key }) => key);
  }

  /**
   * The audit event is recorded before the commit: without it nothing changes. A crash in between leaves an event of a change
   * that did not happen, which harms less than a change without an event.
   */
  async replace({ accountID, email }: CompanyCaller, processID: string, keys: string[]): Promise<string[]> {
    return this.store.transaction(async (tx) => {
      // A publication checks the keys under this lock.
      await lockProcess(tx, processID);
      const allowed = [...new Set(keys)].toSorted();
      await tx.repository(AllowedVaultKey).delete({ processID });
      if (allowed.length > 0) {
        await tx.repository(AllowedVaultKey).insert(allowed.map((key) => ({ processID, key })));
      }
      const event = { processID, accountID, action: 'vault-keys', executor: email, detail: { keys: allowed } };
      await this.rpc.call(execution.recordAudit, event);
      return this.read(processID, tx);
    });
  }
}
