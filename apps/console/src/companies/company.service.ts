import { recordAction } from '@batuta/audit';
import { execution, type CreditCorrection } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Company, Plan } from '../registry';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import { notFound } from '../http/not-found';
import { toCaller, type SessionCaller } from '../sessions/caller';
import { lockCaller } from '../sessions/lock-caller';
import type { CompanyChange, CompanyInput, CreditCorrectionInput } from './company.dto';

export interface CompanyWithCredits extends Company {
  /** The balance; absent where the call neither lists companies nor sets credits. */
  credits?: number;
}

/** The companies of the installation. `add` and `change` also throw what `lockCaller` throws. */
@Injectable()
export class CompanyService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  /** Throws BAD_REQUEST for an unknown plan. The company has the credits of its plan, and no account yet. */
  async add(operator: SessionCaller, { name, planId }: CompanyInput): Promise<Company> {
    const plan = await this.nameOfPlan(planId);
    const company = { id: uuid(), name, planId, suspended: false, createdAt: new Date() };
    await this.store.transaction(async (tx) => {
      await tx.repository(Company).insert(company);
      await lockCaller(tx, operator);
      recordAction(tx, {
        action: 'company.add',
        objectID: company.id,
        companyID: company.id,
        detail: { name, plan },
      });
    });
    return company;
  }

  /** All companies with their balances, suspended ones too, newest first. */
  async list(page: PageQuery): Promise<CompanyWithCredits[]> {
    const { earlier, ...rest } = newestFirst(page);
    const companies = await this.store.repository(Company).find({ where: earlier, ...rest });
    if (companies.length === 0) return [];
    const { balances } = await this.rpc.call(execution.credits, { companyIDs: companies.map(({ id }) => id) });
    return companies.map((company) => Object.assign(company, { credits: balances[company.id] ?? 0 }));
  }

  /**
   * Changes plan, suspension and credits. Throws BAD_REQUEST for an unknown plan, and NOT_FOUND. Execution stores the credits. They are set last,
   * so that the caller may repeat a call that failed halfway: setting them again is safe.
   */
  async change(
    operator: SessionCaller,
    id: string,
    { credits, ...fields }: CompanyChange,
  ): Promise<CompanyWithCredits> {
    const { planId, suspended } = fields;
    const plan = planId === undefined ? undefined : await this.nameOfPlan(planId);
    const company = await this.store.transaction(async (tx) => {
      const companies = tx.repository(Company);
      if (Object.keys(fields).length > 0) await companies.update({ id }, fields);
      await lockCaller(tx, operator);
      const found = await companies.findOneBy({ id });
      if (!found) throw notFound('company');
      if (Object.keys(fields).length > 0) {
        const detail = { ...(plan !== undefined && { plan }), ...(suspended !== undefined && { suspended }) };
        recordAction(tx, { action: 'company.change', objectID: id, companyID: id, detail });
      }
      return found;
    });
    if (credits === undefined) return company;
    const { balance } = await this.rpc.call(execution.setCredits, { companyID: id, credits, ...correctedBy(operator) });
    return Object.assign(company, { credits: balance });
  }

  /**
   * Returns the new balance. Execution stores the correction, once for each `id`, in a transaction that reads the account and the session of
   * the operator again.
   */
  async correctCredits(
    operator: SessionCaller,
    companyID: string,
    { id, how, amount, reason }: CreditCorrectionInput,
  ): Promise<number> {
    const correction = how === 'set' ? { credits: amount } : { add: amount };
    const request = { companyID, id, ...correction, reason, ...correctedBy(operator) };
    const { balance } = await this.rpc.call(execution.correctCredits, request);
    return balance;
  }

  private async nameOfPlan(id: string): Promise<string> {
    const plan = await this.store.repository(Plan).findOneBy({ id });
    if (!plan) throw new ApiError('BAD_REQUEST', 'planId: no such plan');
    return plan.name;
  }
}

/** The fields of a request to execution that say who corrects credits. */
function correctedBy(operator: SessionCaller): Pick<CreditCorrection, 'operatorID' | 'sessionHash'> {
  const { accountID: operatorID, sessionHash } = toCaller(operator);
  return { operatorID, sessionHash };
}
