import { recordAction } from '@batuta/audit';
import { execution } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { ProcessAccessService } from '../access/process-access.service';
import { AllowedVaultKey } from '../registry';
import type { CompanyCaller } from '../sessions/caller';

/** Reads and replaces the list of keys of its owner's vault that a process may use (interpretation 49). */
@Injectable()
export class AllowedKeysService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
  ) {}

  async read(processID: string, store = this.store): Promise<string[]> {
    const rows = await store.repository(AllowedVaultKey).find({ where: { processID }, order: { key: 'ASC' } });
    return rows.map(({ key }) => key);
  }

  /**
   * Execution stores the audit event before this transaction commits: if that fails, nothing changes. A crash before
   * the commit leaves an event of a change that did not happen, which is less harmful than a change without an event.
   */
  async replace(caller: CompanyCaller, processID: string, keys: string[]): Promise<string[]> {
    return this.store.transaction(async (tx) => {
      // Locks the process, because a publication checks the allowed keys under the same lock.
      const { process } = await this.access.lock(tx, caller, processID, 'owner');
      const { companyID } = process;
      const allowed = [...new Set(keys)].toSorted();
      await tx.repository(AllowedVaultKey).delete({ processID });
      if (allowed.length > 0) {
        await tx.repository(AllowedVaultKey).insert(allowed.map((key) => ({ processID, key })));
      }
      recordAction(tx, {
        action: 'process.vault-keys',
        objectID: processID,
        companyID,
        processID,
        detail: { allowed: allowed.length },
      });
      const { accountID, email } = caller;
      const event = { processID, accountID, action: 'vault-keys', executor: email, detail: { keys: allowed } };
      await this.rpc.call(execution.recordAudit, event);
      return this.read(processID, tx);
    });
  }
}
