import { PERMISSIONS, type Caller, type Permission, type Permissions, type ProcessAccess } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { timingSafeEqual } from 'node:crypto';

/** Which process is asked for, by whom and with the SHA-256 of which process key. */
export interface AccessQuestion {
  processID: string;
  accountID: string;
  keyHash: Buffer;
}

interface CallerRow {
  credential_id: string;
  label: string;
  secret_hash: Buffer;
  revoked: number;
  expired: number;
  account_id: string;
  email: string;
  name: string;
  blocked: number;
  company_id: string | null;
  suspended: number | null;
  api_access: number | null;
  requests_per_minute: number | null;
}

/** The permissions of a row of `process_share`; null where an outer join found none. */
export type ShareColumns = Record<`may_${Permission}`, number | null>;

interface AccessRow extends ShareColumns {
  process_id: string;
  owner_id: string;
  api_enabled: number;
  identifier: string | null;
  secret_hash: Buffer | null;
  revoked: number;
  expired: number;
  share_account_id: string | null;
}

const SHARE_COLUMNS = PERMISSIONS.map((permission) => `s.may_${permission}`).join(', ');

/** Credential → account → company → plan in one query; unknown ids are missing. Expiry is by the database's clock. */
export async function callersByCredential(
  store: Store,
  credentialIDs: readonly string[],
): Promise<Map<string, Caller>> {
  const rows = await store.rows<CallerRow>(
    `SELECT c.credential_id, c.label, c.secret_hash, c.revoked_at IS NOT NULL AS revoked,
            COALESCE(c.expires_at <= UTC_TIMESTAMP(3), 0) AS expired,
            a.account_id, a.email, a.name, a.blocked, a.company_id, co.suspended, p.api_access, p.requests_per_minute
       FROM credential c
       JOIN account a ON a.account_id = c.account_id
       LEFT JOIN company co ON co.company_id = a.company_id
       LEFT JOIN plan p ON p.plan_id = co.plan_id
      WHERE c.credential_id IN (?)`,
    [[...new Set(credentialIDs)]],
  );
  return new Map(rows.map((row) => [row.credential_id, toCaller(row)]));
}

/**
 * Process, key and share in one query, an answer per question in their order; undefined = no such process. Keys of other
 * processes are not found: to this process they are no keys.
 */
export async function processAccesses(
  store: Store,
  questions: readonly AccessQuestion[],
): Promise<(ProcessAccess | undefined)[]> {
  const rows = await store.rows<AccessRow>(
    `SELECT p.process_id, p.account_id AS owner_id, p.api_enabled,
            k.identifier, k.secret_hash, k.revoked_at IS NOT NULL AS revoked,
            COALESCE(k.expires_at <= UTC_TIMESTAMP(3), 0) AS expired,
            s.account_id AS share_account_id, ${SHARE_COLUMNS}
       FROM process p
       LEFT JOIN process_key k ON k.process_id = p.process_id AND k.secret_hash IN (?)
       LEFT JOIN process_share s ON s.process_id = p.process_id AND s.account_id IN (?)
      WHERE p.process_id IN (?)`,
    [
      distinctHashes(questions),
      [...new Set(questions.map(({ accountID }) => accountID))],
      [...new Set(questions.map(({ processID }) => processID))],
    ],
  );
  const byProcess = new Map<string, AccessRow[]>();
  for (const row of rows) {
    const group = byProcess.get(row.process_id);
    if (group) group.push(row);
    else byProcess.set(row.process_id, [row]);
  }
  return questions.map((question) => toAccess(question, byProcess.get(question.processID) ?? []));
}

export function toPermissions(share: ShareColumns): Permissions {
  return {
    execute: share.may_execute === 1,
    edit: share.may_edit === 1,
    api: share.may_api === 1,
    schedule: share.may_schedule === 1,
    delete: share.may_delete === 1,
    share: share.may_share === 1,
  };
}

function toCaller(row: CallerRow): Caller {
  return {
    credentialID: row.credential_id,
    label: row.label,
    secretHash: row.secret_hash,
    revoked: row.revoked === 1,
    expired: row.expired === 1,
    accountID: row.account_id,
    email: row.email,
    name: row.name,
    blocked: row.blocked === 1,
    companyID: row.company_id,
    suspended: row.suspended === 1,
    apiAccess: row.api_access === 1,
    requestsPerMinute: row.requests_per_minute ?? 0,
  };
}

/** `rows` are those of the question's process: every pair of a key and a share that the whole batch asked for. */
function toAccess({ processID, accountID, keyHash }: AccessQuestion, rows: AccessRow[]): ProcessAccess | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const key = rows.find((row) => row.secret_hash && timingSafeEqual(row.secret_hash, keyHash));
  const share = rows.find((row) => row.share_account_id === accountID);
  return {
    processID,
    owned: first.owner_id === accountID,
    permissions: share && toPermissions(share),
    apiEnabled: first.api_enabled === 1,
    key: key && { identifier: key.identifier ?? '', revoked: key.revoked === 1, expired: key.expired === 1 },
  };
}

function distinctHashes(questions: readonly AccessQuestion[]): Buffer[] {
  return [...new Map(questions.map(({ keyHash }) => [keyHash.toString('latin1'), keyHash])).values()];
}
