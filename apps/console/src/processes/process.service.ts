import { recordAction } from '@batuta/audit';
import { idAfter, requireRoom } from '@batuta/catalog';
import { notifications } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import {
  Account,
  AllowedVaultKey,
  FlowVersion,
  Process,
  ProcessKey,
  ProcessShare,
  RegisteredVariable,
  ShareInvitation,
} from '../registry';
import type { PageQuery } from '../http/page.dto';
import { planMatrix } from '../matrix/plan-matrix';
import type { CompanyCaller } from '../sessions/caller';
import { lockCaller } from '../sessions/lock-caller';
import { ALL_PERMISSIONS, permissionsOf } from '../access/permissions';
import { refuseWhileActive } from '../registry/refuse-while-active';
import { ProcessAccessService, type AccessibleProcess } from '../access/process-access.service';
import type { OriginCount, ProcessChange, ProcessInput } from './process.dto';

interface ProcessOwner {
  accountID: string;
  companyID: string;
}

@Injectable()
export class ProcessService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * Registers a process that the caller owns, active and closed to the API (BLOQUEADO), with nothing published; returns its id. Throws what
   * `planMatrix` and `lockCaller` throw, INVALID_ENVIRONMENT and QUOTA_EXCEEDED.
   */
  async add(caller: CompanyCaller, { matrix, ...fields }: ProcessInput): Promise<string> {
    const { accountID, companyID } = caller;
    const planned = planMatrix('', matrix, new Set(), uuid);
    await this.refuseUnreachable({ accountID, companyID }, fields.environmentID);
    const unpublished = { draftFlow: null, currentVersion: 0, publishedVersionID: null };
    const switches = { active: true, paused: false, apiEnabled: false };
    return this.store.transaction(async (tx) => {
      await requireRoom(tx, companyID, 'processes', this.config.QUOTA_PROCESSES);
      await lockCaller(tx, caller);
      const id = idAfter(await newestIn(tx, companyID));
      const row = { id, accountID, companyID, ...fields, ...switches, ...unpublished, createdAt: new Date() };
      await tx.repository(Process).insert(row);
      for (const variable of planned) variable.processID = id;
      if (planned.length > 0) await tx.repository(RegisteredVariable).insert(planned);
      const detail = { name: fields.processName };
      recordAction(tx, { action: 'process.add', objectID: id, companyID, processID: id, detail });
      return id;
    });
  }

  /**
   * The caller's own processes and those shared with it, newest first. Clients take a page with fewer than `limit` processes as the last one; so
   * when some were deleted, or their shares ended, after their ids were read, it reads further ones in their place.
   */
  async list({ accountID }: CompanyCaller, { limit, before }: PageQuery): Promise<AccessibleProcess[]> {
    const found: AccessibleProcess[] = [];
    for (let last = before; ;) {
      const missing = limit - found.length;
      const ids = await this.idsOfAccessible(accountID, missing, last);
      found.push(...(await this.withPermissions(accountID, ids)));
      if (ids.length < missing || found.length === limit) return found;
      last = ids.at(-1);
    }
  }

  /** The processes of everybody in the company, newest first, without those of other companies that are shared with it. */
  listOfCompany(companyID: string, { limit, before }: PageQuery): Promise<Process[]> {
    const earlier = before === undefined ? {} : { id: LessThan(before) };
    return this.store
      .repository(Process)
      .find({ where: { companyID, ...earlier }, order: { id: 'DESC' }, take: limit });
  }

  /** Changes a process, for accounts with `edit`. Throws what `ProcessAccessService.lock` throws, and INVALID_ENVIRONMENT. */
  async change(caller: CompanyCaller, id: string, change: ProcessChange): Promise<AccessibleProcess> {
    const { apiPermission, ...fields } = change;
    return this.store.transaction(async (tx) => {
      const accessible = await this.access.lock(tx, caller, id, 'edit');
      const { process } = accessible;
      await this.refuseUnreachable(process, fields.environmentID ?? null, tx);
      const apiEnabled = apiPermission === undefined ? process.apiEnabled : apiPermission === 'LIBERADO';
      const changed = { ...fields, apiEnabled };
      await tx.repository(Process).update({ id }, changed);
      const { companyID, processName: name } = process;
      const detail = { name, changed: Object.keys(change) };
      recordAction(tx, { action: 'process.change', objectID: id, companyID, processID: id, detail });
      Object.assign(process, changed);
      return accessible;
    });
  }

  /**
   * Deletes a process, for accounts with `delete`, with all that the console stores of it but its audit events; the other services delete its
   * webhooks, event subscriptions, schedules and pictures afterwards. Throws what `ProcessAccessService.lock` throws, and CONFLICT while it has
   * queued or running instances. Execution keeps the ended instances.
   */
  async remove(caller: CompanyCaller, id: string): Promise<void> {
    await refuseWhileActive(this.rpc, { processID: id });
    await this.store.transaction(async (tx) => {
      const { process } = await this.access.lock(tx, caller, id, 'delete');
      const { companyID, processName: name } = process;
      const owned = [AllowedVaultKey, ProcessKey, ProcessShare, ShareInvitation, RegisteredVariable, FlowVersion];
      for (const entity of owned) {
        await tx.repository<{ processID: string }>(entity).delete({ processID: id });
      }
      await tx.repository(Process).delete({ id });
      // The audit events of its instances stay, and only this row says to which company they belong.
      await tx.write(
        'INSERT IGNORE INTO deleted_process (process_id, company_id, deleted_at) VALUES (?, ?, UTC_TIMESTAMP(3))',
        [id, companyID],
      );
      recordAction(tx, { action: 'process.delete', objectID: id, companyID, processID: id, detail: { name } });
    });
    this.rpc.notify(notifications.processDeleted, { processID: id });
  }

  /** The names of the owners by the id of their account. */
  async ownerNames(processes: Process[]): Promise<Map<string, string>> {
    const ids = [...new Set(processes.map(({ accountID }) => accountID))];
    const owners = await this.store.repository(Account).findBy({ id: In(ids) });
    return new Map(owners.map(({ id, name }) => [id, name]));
  }

  /** The number of webhook origins by process, also 0; processes that the account may not edit are missing. */
  async originCounts(accessible: readonly AccessibleProcess[]): Promise<Map<string, OriginCount>> {
    const ids = accessible.flatMap(({ process, permissions }) => (permissions.edit ? [process.id] : []));
    if (ids.length === 0) return new Map();
    const rows = await this.store.rows<{ process_id: string; total: number; enabled: number }>(
      `SELECT process_id, COUNT(*) AS total, COUNT(IF(enabled, 1, NULL)) AS enabled FROM origin
        WHERE process_id IN (?) GROUP BY process_id`,
      [ids],
    );
    const counts = new Map(rows.map(({ process_id, total, enabled }) => [process_id, { total, enabled }]));
    return new Map(ids.map((id) => [id, counts.get(id) ?? { total: 0, enabled: 0 }]));
  }

  /** Whether the plan of the company that owns the process has API access. */
  async hasApiAccess({ companyID }: Process): Promise<boolean> {
    const row = await this.store.row<{ api_access: number }>(
      'SELECT p.api_access FROM company c JOIN plan p ON p.plan_id = c.plan_id WHERE c.company_id = ?',
      [companyID],
    );
    return row?.api_access === 1;
  }

  private async idsOfAccessible(accountID: string, limit: number, before: string | undefined): Promise<string[]> {
    const earlier = before === undefined ? '' : 'AND process_id < ?';
    const cursor = before === undefined ? [] : [before];
    const ids = await this.store.rows<{ process_id: string }>(
      `(SELECT process_id FROM process WHERE account_id = ? ${earlier} ORDER BY process_id DESC LIMIT ?)
       UNION
       (SELECT process_id FROM process_share WHERE account_id = ? ${earlier} ORDER BY process_id DESC LIMIT ?)
       ORDER BY process_id DESC LIMIT ?`,
      [accountID, ...cursor, limit, accountID, ...cursor, limit, limit],
    );
    return ids.map((row) => row.process_id);
  }

  private async withPermissions(accountID: string, ids: string[]): Promise<AccessibleProcess[]> {
    if (ids.length === 0) return [];
    const order = { id: 'DESC' } as const;
    const processes = await this.store.repository(Process).find({ where: { id: In(ids) }, order });
    const shares = await this.store.repository(ProcessShare).findBy({ accountID, processID: In(ids) });
    const granted = new Map(shares.map((share) => [share.processID, permissionsOf(share)]));
    return processes.flatMap((process) => {
      const owned = process.accountID === accountID;
      const permissions = owned ? ALL_PERMISSIONS : granted.get(process.id);
      return permissions ? [{ process, owned, permissions }] : [];
    });
  }

  /**
   * Throws INVALID_ENVIRONMENT unless the owner of the process can reach the environment, whichever account registers it (contract 4.8 rule 3).
   * A process may have no environment: null is accepted.
   */
  private async refuseUnreachable(
    owner: ProcessOwner,
    environmentID: string | null,
    store = this.store,
  ): Promise<void> {
    if (environmentID === null) return;
    const reachable = await store.row(
      'SELECT 1 AS found FROM environment WHERE environment_id = ? AND (account_id = ? OR (company_id = ? AND shared = 1))',
      [environmentID, owner.accountID, owner.companyID],
    );
    if (!reachable) {
      const why = 'does not exist or is out of reach of the owner of the process';
      throw new ApiError('INVALID_ENVIRONMENT', `environmentID: ${environmentID} ${why}`);
    }
  }
}

/** The greatest id of the company's processes. Under the lock of the company it stays so until the transaction ends. */
async function newestIn(tx: Store, companyID: string): Promise<string | undefined> {
  const row = await tx.row<{ process_id: string }>(
    'SELECT process_id FROM process WHERE company_id = ? ORDER BY process_id DESC LIMIT 1',
    [companyID],
  );
  return row?.process_id;
}
