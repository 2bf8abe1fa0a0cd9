import { Store } from '@batuta/database';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { ManagementEventList, ManagementEventQuery } from './audit.dto';
import { toEventAnswer } from './event-answer';
import { newestEvents } from './management-events.repository';

/** The audit events of management in the caller's company. `RunController` has those of a process. */
@ApiTags('Audit')
@Controller(`${BASE_PATH}/company/audit`)
export class CompanyAuditController {
  constructor(private readonly store: Store) {}

  @Get()
  @Endpoint({
    summary: 'Who changed what in the company, newest first',
    description:
      'A page has at most about 1 MB; with `person`, `action` or `object` it searches the newest 5,000 events of its period.',
    audience: 'administrator',
    answer: ManagementEventList,
  })
  async list(
    @CompanyCallerOf() { companyID }: CompanyCaller,
    @Query() filter: ManagementEventQuery,
  ): Promise<ManagementEventList> {
    const { rows, before } = await newestEvents(this.store, companyID, filter);
    return {
      events: rows.map((row) => toEventAnswer(row, companyID)),
      ...(before !== undefined && { older: { before } }),
    };
  }
}
