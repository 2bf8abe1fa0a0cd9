import {
  PERMISSIONS,
  type AuthenticatedCaller,
  type Permission,
  type Permissions,
  type ProcessAccess,
  type ProcessKeyState,
} from '@batuta/auth';
import { timingSafeEqual } from 'node:crypto';

/** The permissions of a row of `process_share`; null when the outer join found no share. */
export type ShareColumns = Record<`may_${Permission}`, number | null>;

interface CallerColumns {
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

/** Columns of outer joins: null when the process, its key or its share does not exist. */
interface ProcessColumns extends ShareColumns {
  process_id: string | null;
  owner_id: string | null;
  api_enabled: number | null;
  key_id: string | null;
  identifier: string | null;
  key_hash: Buffer | null;
  key_revoked: number;
  key_expired: number;
}

export interface AccessRow extends CallerColumns, ProcessColumns {
  /** Index of the question to which the row belongs. */
  question: number;
}

/** Columns of credential c, account a, company co, plan, process p, process_key k and process_share s. */
export const ACCESS_COLUMNS = `c.credential_id, c.label, c.secret_hash, c.revoked_at IS NOT NULL AS revoked,
       COALESCE(c.expires_at <= UTC_TIMESTAMP(3), 0) AS expired,
       a.account_id, a.email, a.name, a.blocked, a.company_id, co.suspended, plan.api_access, plan.requests_per_minute,
       p.process_id, p.account_id AS owner_id, p.api_enabled,
       k.key_id, k.identifier, k.secret_hash AS key_hash, k.revoked_at IS NOT NULL AS key_revoked,
       COALESCE(k.expires_at <= UTC_TIMESTAMP(3), 0) AS key_expired,
       ${PERMISSIONS.map((permission) => `s.may_${permission}`).join(', ')}`;

export function toAuthenticatedCaller(row: CallerColumns): AuthenticatedCaller {
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

/** The caller's access to the process with the key of the given SHA-256; undefined = the process does not exist. */
export function toAccess(row: CallerColumns & ProcessColumns, keyHash: Buffer | undefined): ProcessAccess | undefined {
  if (row.process_id === null) return undefined;
  return {
    processID: row.process_id,
    owned: row.owner_id === row.account_id,
    permissions: row.may_execute === null ? undefined : toPermissions(row),
    apiEnabled: row.api_enabled === 1,
    key: toKey(row, keyHash),
  };
}

function toKey(row: ProcessColumns, keyHash: Buffer | undefined): ProcessKeyState | undefined {
  const { key_id: keyID, key_hash: storedHash, identifier } = row;
  if (keyID === null || storedHash === null || keyHash === undefined) return undefined;
  if (!timingSafeEqual(storedHash, keyHash)) return undefined;
  return { keyID, identifier: identifier ?? '', revoked: row.key_revoked === 1, expired: row.key_expired === 1 };
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
