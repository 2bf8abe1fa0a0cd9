import { Store } from '@batuta/database';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { ManagementEventList, ManagementEventQuery, type EventActor, type ManagementEventAnswer } from './audit.dto';
import { newestEvents, type EventRow } from './management-events.repository';

/** The audit events of management in the caller's company. Those of instances are in `RunController`. */
@ApiTags('Audit')
@Controller(`${BASE_PATH}/company/audit`)
export class CompanyAuditController {
  constructor(private readonly store: Store) {}

  @Get()
  @Endpoint({
    summary: 'Who changed what in the company, newest first',
    description: 'A page searches the newest 5,000 events of its period and has at most about 1 MB.',
    audience: 'administrator',
    answer: ManagementEventList,
  })
  async list(
    @OfCompany() { companyID }: CompanyCaller,
    @Query() filter: ManagementEventQuery,
  ): Promise<ManagementEventList> {
    const { rows, before } = await newestEvents(this.store, companyID, filter);
    return {
      events: rows.map((row) => toAnswer(row, companyID)),
      ...(before !== undefined && { older: { before } }),
    };
  }
}

function toAnswer(row: EventRow, companyID: string): ManagementEventAnswer {
  const detail: Record<string, unknown> = JSON.parse(row.detail);
  return {
    id: row.event_id,
    at: row.created_at.toISOString(),
    action: row.action,
    object: row.object_id,
    processID: row.process_id,
    by: actorOf(row, companyID),
    address: row.role === 'operator' ? null : row.address,
    requestID: row.request_id,
    detail,
  };
}

/**
 * Hides an operator, and shows of an account of another company only the e-mail address that the process is shared
 * with.
 */
function actorOf(row: EventRow, companyID: string): EventActor {
  const { role, account_id: accountID, credential_id: credentialID } = row;
  if (role === 'operator') {
    return { kind: 'operator', accountID: null, name: '', email: '', credentialID: null, label: '' };
  }
  const ownKind = credentialID === null ? 'person' : 'credential';
  return {
    kind: role === null ? 'unknown' : ownKind,
    accountID,
    name: row.account_company_id === companyID ? (row.name ?? '') : '',
    email: row.email ?? '',
    credentialID,
    label: row.label ?? '',
  };
}
