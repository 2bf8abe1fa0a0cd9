import { isDuplicate, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Plan } from '../registry';
import type { Page } from '../http/fields';
import { newestFirst } from '../http/list';
import type { PlanChange, PlanInput } from './plan.schema';

@Injectable()
export class Plans {
  constructor(private readonly store: Store) {}

  async add(input: PlanInput): Promise<Plan> {
    const plan = { id: uuid(), ...input, createdAt: new Date() };
    await this.store.repository(Plan).insert(plan).catch(refuseTwin);
    return plan;
  }

  list(page: Page): Promise<Plan[]> {
    const { earlier, ...rest } = newestFirst(page);
    return this.store.repository(Plan).find({ where: earlier, ...rest });
  }

  async change(id: string, change: PlanChange): Promise<Plan> {
    const plans = this.store.repository(Plan);
    await plans.update({ id }, change).catch(refuseTwin);
    const plan = await plans.findOneBy({ id });
    if (!plan) throw new ApiError('NOT_FOUND', 'No such plan.');
    return plan;
  }
}

function refuseTwin(error: unknown): never {
  throw isDuplicate(error) ? new ApiError('CONFLICT', 'name: another plan has it') : error;
}
