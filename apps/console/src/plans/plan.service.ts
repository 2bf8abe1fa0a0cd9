import { recordAction } from '@batuta/audit';
import { isDuplicate, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Plan } from '../registry';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import { notFound } from '../http/not-found';
import type { SessionCaller } from '../sessions/caller';
import { lockCaller } from '../sessions/lock-caller';
import type { PlanChange, PlanInput } from './plan.dto';

/** The plans of the installation. Each change also throws what `lockCaller` throws. */
@Injectable()
export class PlanService {
  constructor(private readonly store: Store) {}

  /** Throws CONFLICT when another plan has the name. */
  async add(operator: SessionCaller, { auditDays = null, ledgerDays = null, ...input }: PlanInput): Promise<Plan> {
    const fields = { ...input, auditDays, ledgerDays };
    const plan = { id: uuid(), ...fields, createdAt: new Date() };
    await this.store.transaction(async (tx) => {
      await lockCaller(tx, operator);
      await tx.repository(Plan).insert(plan).catch(refuseDuplicate);
      recordAction(tx, { action: 'plan.add', objectID: plan.id, companyID: null, detail: { ...fields } });
    });
    return plan;
  }

  list(page: PageQuery): Promise<Plan[]> {
    const { earlier, ...rest } = newestFirst(page);
    return this.store.repository(Plan).find({ where: earlier, ...rest });
  }

  /** The change holds at once for every company with the plan, except that fewer credits wait for the next month. Throws NOT_FOUND and CONFLICT. */
  async change(operator: SessionCaller, id: string, { ...change }: PlanChange): Promise<Plan> {
    return this.store.transaction(async (tx) => {
      await lockCaller(tx, operator);
      const plans = tx.repository(Plan);
      await plans.update({ id }, change).catch(refuseDuplicate);
      const plan = await plans.findOneBy({ id });
      if (!plan) throw notFound('plan');
      recordAction(tx, { action: 'plan.change', objectID: id, companyID: null, detail: change });
      return plan;
    });
  }
}

function refuseDuplicate(error: unknown): never {
  throw isDuplicate(error) ? new ApiError('CONFLICT', 'name: another plan has it') : error;
}
