import { execution, type AuditEvent } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { ProcessAccessService } from '../access/process-access.service';
import { withoutForeignAccounts } from '../audit/foreign-accounts.repository';
import type { CompanyCaller } from '../sessions/caller';
import type { AuditQuery } from './instance.dto';
import { visibleStarter } from './visible-starter';

/** The audit trail of a process, which execution keeps. */
@Injectable()
export class AuditTrailService {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    private readonly store: Store,
  ) {}

  /** A page of the events that the caller may see. To an account with a share, execution answers no id but that of this account. */
  async page(
    { accountID, companyID }: CompanyCaller,
    processID: string,
    { limit, before }: AuditQuery,
  ): Promise<{ events: AuditEvent[]; older?: { before: number } }> {
    const accessible = await this.access.require(accountID, processID, 'edit');
    const startedBy = visibleStarter(accessible, accountID);
    const page = await this.rpc.call(execution.audit, { processID, limit, before, startedBy });
    if (!accessible.owned) return page;
    return { ...page, events: await withoutForeignAccounts(this.store, page.events, companyID) };
  }
}
