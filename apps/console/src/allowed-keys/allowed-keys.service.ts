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

  /** The keys in the order of their character codes; the vault of the owner may lack some of them. */
  async read(processID: string, store = this.store): Promise<string[]> {
    const rows = await store.repository(AllowedVaultKey).find({ where: { processID }, order: { key: 'ASC' } });
    return rows.map(({ key }) => key);
  }

  /**
   * Replaces the list, for the owner of the process only, and returns the new one, sorted and without duplicates. Execution stores the audit
   * event first: if that fails, nothing changes. If the transaction fails afterwards, the trail has an event of a change that did not happen,
   * which is less harmful than a change without an event. The call is not part of the transaction, which may run several times and would hold
   * its locks during the call.
   */
  async replace(caller: CompanyCaller, processID: string, keys: string[]): Promise<string[]> {
    const allowed = [...new Set(keys)].toSorted();
    await this.access.require(caller.accountID, processID, 'owner');
    const { accountID, email } = caller;
    const event = { processID, accountID, action: 'vault-keys', executor: email, detail: { keys: allowed } };
    await this.rpc.call(execution.recordAudit, event);
    return this.store.transaction(async (tx) => {
      // Locks the process, because a publication checks the allowed keys under the same lock.
      const { process } = await this.access.lock(tx, caller, processID, 'owner');
      const { companyID } = process;
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
      return this.read(processID, tx);
    });
  }
}
