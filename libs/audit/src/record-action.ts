import { withoutPort } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { currentActor, currentRequestID } from '@batuta/observability';
import { isIP } from 'node:net';
import { v7 as uuid } from 'uuid';
import type { ManagementAction } from './actions';

export interface RecordedAction {
  action: ManagementAction;
  /** The id of the object; of a vault secret its key, of a share the e-mail address. */
  objectID: string;
  /** The company that the object belongs to, whose administrators see the event; null for plans and operators, which belong to none. */
  companyID: string | null;
  /** The process that the object is or belongs to. */
  processID?: string;
  /** Further facts for the reader, such as the object's name. Never a secret. Replaced by `omitted: true` when its JSON is above MAX_DETAIL_CHARACTERS. */
  detail?: Record<string, string | number | boolean | string[] | null>;
  /** The account that acted; by default that of the current request, which logins and requests of the previous release do not have. */
  accountID?: string;
}

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;
const MAX_DETAIL_CHARACTERS = 2_000;

/**
 * Adds the audit event of an action to the commit of its transaction. The event takes the account, the address and the request id from
 * the current request. Throws outside of a transaction, because the action and its event must be committed together.
 */
export function recordAction(
  tx: Store,
  { action, objectID, companyID, processID, detail = {}, accountID }: RecordedAction,
): void {
  const actor = currentActor();
  tx.atCommit(
    `INSERT INTO management_event (event_id, company_id, process_id, account_id, credential_id, address, request_id, action,
       object_id, detail, created_at) VALUES (?)`,
    [
      [
        uuid(),
        companyID,
        processID ?? null,
        accountID ?? actor?.accountID ?? null,
        actor?.credentialID ?? null,
        normalizeIPAddress(actor?.address) ?? null,
        currentRequestID() ?? null,
        action,
        objectID,
        boundedJson(detail),
        new Date(),
      ],
    ],
  );
}

/** The IP address in its usual form and without a port; undefined for any other text, which a proxy may have passed on. */
function normalizeIPAddress(address: string | undefined): string | undefined {
  const plain = address === undefined ? '' : withoutPort(address).replace(MAPPED_IPV4, '');
  return isIP(plain) > 0 ? plain.slice(0, 45) : undefined;
}

function boundedJson(detail: object): string {
  const json = JSON.stringify(detail);
  return json.length > MAX_DETAIL_CHARACTERS ? '{"omitted":true}' : json;
}
