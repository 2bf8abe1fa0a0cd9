import { recordAction } from '@batuta/audit';
import { mintSecret } from '@batuta/auth';
import { connectedAgents, onlineEnvironments, requireRoom, type ConnectedAgent } from '@batuta/catalog';
import { notifications } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Account, Environment } from '../registry';
import { refuseWhileActive } from '../registry/refuse-while-active';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import { notFound } from '../http/not-found';
import type { CompanyCaller } from '../sessions/caller';
import { lockCaller } from '../sessions/lock-caller';
import type { ActivationKeyAnswer, EnvironmentChange, EnvironmentInput } from './environment.dto';

export interface EnvironmentStatus extends Environment {
  /** Whether any agent is connected now. */
  online: boolean;
}

@Injectable()
export class EnvironmentService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * Adds an environment that the caller owns, not shared, and returns its activation key, of which only a hash is stored. Throws QUOTA_EXCEEDED, and
   * what `lockCaller` throws.
   */
  async add(caller: CompanyCaller, { ...fields }: EnvironmentInput): Promise<ActivationKeyAnswer> {
    const { accountID, companyID } = caller;
    const id = uuid();
    const { value, hash: activationKeyHash } = mintSecret('bak');
    const row = { id, accountID, companyID, ...fields, shared: false, activationKeyHash, createdAt: new Date() };
    await this.store.transaction(async (tx) => {
      await requireRoom(tx, companyID, 'environments', this.config.QUOTA_ENVIRONMENTS);
      await lockCaller(tx, caller);
      await tx.repository(Environment).insert(row);
      recordAction(tx, { action: 'environment.add', objectID: id, companyID, detail: { name: fields.name } });
    });
    return { environmentID: id, activationKey: value };
  }

  /** The environments that the caller owns and those that are shared with its company (contract 2.2). */
  async list({ accountID, companyID }: CompanyCaller, page: PageQuery): Promise<EnvironmentStatus[]> {
    const { earlier, ...rest } = newestFirst(page);
    const where = [
      { accountID, ...earlier },
      { companyID, shared: true, ...earlier },
    ];
    return this.withStatus(await this.store.repository(Environment).find({ where, ...rest }));
  }

  /** The connected agents of an environment, newest connection first; throws NOT_FOUND unless the caller may see the environment. */
  async agents(caller: CompanyCaller, id: string, limit: number): Promise<ConnectedAgent[]> {
    await this.requireVisible(caller, id);
    return connectedAgents(this.store, id, limit);
  }

  /**
   * An administrator changes `shared`, the owner the other fields. Throws NOT_FOUND, and FORBIDDEN for a field that the caller may not change, or
   * when an environment would be shared that no administrator owns. Routers are told of a new capacity.
   */
  async change(caller: CompanyCaller, id: string, change: EnvironmentChange): Promise<EnvironmentStatus> {
    const known = await this.requireVisible(caller, id);
    await this.refuseForbiddenChange(caller, known, change);
    const changed = await this.store.transaction(async (tx) => {
      await lockCaller(tx, caller);
      await updateEnvironment(tx, id, change);
      const detail = { name: known.name, changed: Object.keys(change) };
      recordAction(tx, { action: 'environment.change', objectID: id, companyID: known.companyID, detail });
      // Read again, because another call may have changed other fields since `known` was read.
      return tx.repository(Environment).findBy({ id });
    });
    if (change.capacity !== undefined) this.notify(id);
    const [seen] = await this.withStatus(changed);
    if (!seen) throw notFound('environment');
    return seen;
  }

  /**
   * Makes a new activation key, for the owner; throws NOT_FOUND and FORBIDDEN. The old key stops working at once, and routers disconnect the agents
   * that use it.
   */
  async rotateKey(caller: CompanyCaller, id: string): Promise<ActivationKeyAnswer> {
    const { name, companyID } = await this.requireOwned(caller, id);
    const { value, hash: activationKeyHash } = mintSecret('bak');
    await this.store.transaction(async (tx) => {
      await lockCaller(tx, caller);
      await updateEnvironment(tx, id, { activationKeyHash });
      recordAction(tx, { action: 'environment.rotate-key', objectID: id, companyID, detail: { name } });
    });
    this.notify(id);
    return { environmentID: id, activationKey: value };
  }

  /**
   * Deletes an environment of the caller; routers then disconnect its agents. Throws CONFLICT while it has queued or running instances
   * (interpretation 47), NOT_FOUND, and FORBIDDEN for one that the caller sees and does not own. After the deletion, starts that name no environment,
   * of processes that have this one registered, are refused with INVALID_ENVIRONMENT.
   */
  async remove(caller: CompanyCaller, id: string): Promise<void> {
    const { name, companyID } = await this.requireOwned(caller, id);
    await refuseWhileActive(this.rpc, { environmentID: id });
    await this.store.transaction(async (tx) => {
      await lockCaller(tx, caller);
      const { affected } = await tx.repository(Environment).delete({ id });
      if (!affected) throw notFound('environment');
      recordAction(tx, { action: 'environment.delete', objectID: id, companyID, detail: { name } });
    });
    this.notify(id);
  }

  /**
   * An environment that the caller may see: its own, one that is shared with its company, or, for an administrator, any of the company.
   * Undefined for every other environment.
   */
  async findVisible({ accountID, companyID, role }: CompanyCaller, id: string): Promise<Environment | undefined> {
    const known = await this.store.repository(Environment).findOneBy({ id });
    const ofCompany = known?.companyID === companyID && (known.shared || role === 'administrator');
    return known && (known.accountID === accountID || ofCompany) ? known : undefined;
  }

  private async requireVisible(caller: CompanyCaller, id: string): Promise<Environment> {
    const known = await this.findVisible(caller, id);
    if (!known) throw notFound('environment');
    return known;
  }

  private async requireOwned(caller: CompanyCaller, id: string): Promise<Environment> {
    const known = await this.requireVisible(caller, id);
    if (known.accountID !== caller.accountID)
      throw new ApiError('FORBIDDEN', 'The environment belongs to someone else.');
    return known;
  }

  private async refuseForbiddenChange(
    caller: CompanyCaller,
    known: Environment,
    change: EnvironmentChange,
  ): Promise<void> {
    const { shared, ...ownersFields } = change;
    const [foreign] = known.accountID === caller.accountID ? [] : Object.keys(ownersFields);
    if (foreign !== undefined) throw new ApiError('FORBIDDEN', `${foreign}: only the owner changes it`);
    if (shared === undefined) return;
    if (caller.role !== 'administrator') throw new ApiError('FORBIDDEN', 'shared: only an administrator changes it');
    const ofAdministrator = { id: known.accountID, role: 'administrator' as const };
    const shareable = !shared || (await this.store.repository(Account).existsBy(ofAdministrator));
    // A shared environment belongs to an administrator of the company (contract 2.2).
    if (!shareable) throw new ApiError('FORBIDDEN', 'shared: the environment does not belong to an administrator');
  }

  private async withStatus(environments: Environment[]): Promise<EnvironmentStatus[]> {
    const online = await onlineEnvironments(
      this.store,
      environments.map(({ id }) => id),
    );
    return environments.map((environment) => Object.assign(environment, { online: online.has(environment.id) }));
  }

  private notify(environmentID: string): void {
    this.rpc.notify(notifications.environmentChanged, { environmentID });
  }
}

/** Throws NOT_FOUND when the environment was deleted meanwhile. */
async function updateEnvironment(tx: Store, id: string, change: Partial<Environment>): Promise<void> {
  const { affected } = await tx.repository(Environment).update({ id }, change);
  if (!affected) throw notFound('environment');
}
