import { execution } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Company, Plan } from '../registry';
import type { PageQuery } from '../http/page.dto';
import { newestFirst } from '../http/newest-first';
import type { CompanyChange, CompanyInput } from './company.dto';

export interface CompanyWithCredits extends Company {
  credits?: number;
}

@Injectable()
export class CompanyService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  async add({ name, planId }: CompanyInput): Promise<Company> {
    await this.refuseUnknownPlan(planId);
    const company = { id: uuid(), name, planId, suspended: false, createdAt: new Date() };
    await this.store.repository(Company).insert(company);
    return company;
  }

  async list(page: PageQuery): Promise<CompanyWithCredits[]> {
    const { earlier, ...rest } = newestFirst(page);
    const companies = await this.store.repository(Company).find({ where: earlier, ...rest });
    if (companies.length === 0) return [];
    const { balances } = await this.rpc.call(execution.credits, { companyIDs: companies.map(({ id }) => id) });
    return companies.map((company) => Object.assign(company, { credits: balances[company.id] ?? 0 }));
  }

  /** Execution keeps the credits. They are set last, because setting them twice is safe: the caller may repeat a failed call. */
  async change(id: string, { credits, ...fields }: CompanyChange): Promise<CompanyWithCredits> {
    if (fields.planId !== undefined) await this.refuseUnknownPlan(fields.planId);
    const companies = this.store.repository(Company);
    if (Object.keys(fields).length > 0) await companies.update({ id }, fields);
    const company = await companies.findOneBy({ id });
    if (!company) throw new ApiError('NOT_FOUND', 'No such company.');
    if (credits === undefined) return company;
    const { balance } = await this.rpc.call(execution.setCredits, { companyID: id, credits });
    return Object.assign(company, { credits: balance });
  }

  private async refuseUnknownPlan(id: string): Promise<void> {
    const exists = await this.store.repository(Plan).existsBy({ id });
    if (!exists) throw new ApiError('BAD_REQUEST', 'planId: no such plan');
  }
}
