import type { EventActor, ManagementEventAnswer } from './audit.dto';
import type { ManagementEventRow } from './management-events.repository';

/** The event in the form that a company sees, or that an operator sees when `companyID` is null. */
export function toEventAnswer(row: ManagementEventRow, companyID: string | null): ManagementEventAnswer {
  const detail: Record<string, unknown> = JSON.parse(row.detail);
  return {
    id: row.event_id,
    at: row.created_at.toISOString(),
    action: row.action,
    object: row.object_id,
    processID: row.process_id,
    by: companyID === null ? actorForOperators(row) : actorOf(row, companyID),
    address: companyID === null || row.account_company_id === companyID ? row.address : null,
    requestID: row.request_id,
    detail,
  };
}

/**
 * A company does not see which operator acted, and sees an account of another company only by its e-mail address, with
 * which the process is shared.
 */
function actorOf(row: ManagementEventRow, companyID: string): EventActor {
  if (row.role === 'operator') {
    return { kind: 'operator', accountID: null, name: '', email: '', credentialID: null, label: '' };
  }
  const actor = actorForOperators(row);
  if (row.account_company_id === companyID) return actor;
  return Object.assign(actor, { accountID: null, name: '', credentialID: null, label: '' });
}

function actorForOperators(row: ManagementEventRow): EventActor {
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
