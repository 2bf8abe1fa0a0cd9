import type { EventActor, ManagementEventAnswer } from './audit.dto';
import type { EventRow } from './management-events.repository';

/** The event as a company sees it, or an operator with `companyID` null. */
export function toEventAnswer(row: EventRow, companyID: string | null): ManagementEventAnswer {
  const detail: Record<string, unknown> = JSON.parse(row.detail);
  return {
    id: row.event_id,
    at: row.created_at.toISOString(),
    action: row.action,
    object: row.object_id,
    processID: row.process_id,
    by: companyID === null ? actorForOperators(row) : actorOf(row, companyID),
    address: companyID !== null && row.role === 'operator' ? null : row.address,
    requestID: row.request_id,
    detail,
  };
}

/** An operator stays anonymous, and an account of another company is shown by the e-mail address that the process is shared with. */
function actorOf(row: EventRow, companyID: string): EventActor {
  if (row.role === 'operator') {
    return { kind: 'operator', accountID: null, name: '', email: '', credentialID: null, label: '' };
  }
  return actorForOperators({ ...row, name: row.account_company_id === companyID ? row.name : null });
}

function actorForOperators(row: EventRow): EventActor {
  const { role, account_id: accountID, credential_id: credentialID } = row;
  const ownKind = credentialID === null ? 'person' : 'credential';
  const knownKind = role === 'operator' ? 'operator' : ownKind;
  return {
    kind: role === null ? 'unknown' : knownKind,
    accountID,
    name: row.name ?? '',
    email: row.email ?? '',
    credentialID,
    label: row.label ?? '',
  };
}
