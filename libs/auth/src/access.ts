import { ApiError } from '@batuta/errors';
import { bearerToken, matchesHash, parseCredential } from './tokens';

/** What a share can grant (contract 2.3, interpretation 12). */
export const PERMISSIONS = ['execute', 'edit', 'api', 'schedule', 'delete', 'share'] as const;
export type Permission = (typeof PERMISSIONS)[number];
export type Permissions = Record<Permission, boolean>;

/** An account credential and all that decides what its holder may do, as the database has it at this moment. */
export interface Caller {
  credentialID: string;
  label: string;
  secretHash: Buffer;
  revoked: boolean;
  expired: boolean;
  accountID: string;
  email: string;
  name: string;
  blocked: boolean;
  /** null for an operator, who belongs to no company and so has no plan. */
  companyID: string | null;
  suspended: boolean;
  apiAccess: boolean;
  requestsPerMinute: number;
}

export interface ProcessKey {
  /** Recorded as the executor in the audit trail (contract 1). */
  identifier: string;
  revoked: boolean;
  expired: boolean;
}

/** One process as one account reaches it with one process key. */
export interface ProcessAccess {
  processID: string;
  owned: boolean;
  /** What the process was shared with; undefined when it was not. */
  permissions: Permissions | undefined;
  apiEnabled: boolean;
  /** undefined when no key of this process was sent. */
  key: ProcessKey | undefined;
}

/** What `authorizeProcess` found good: the key is there. */
export interface AuthorizedProcess extends ProcessAccess {
  key: ProcessKey;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id in the form in which the database holds it; undefined when it is no UUID. */
export function readID(text: unknown): string | undefined {
  return typeof text === 'string' && UUID.test(text) ? text.toLowerCase() : undefined;
}

/** The parts of the `Authorization` header. Throws MISSING_CREDENTIAL, or INVALID_CREDENTIAL for another form. */
export function readCredential(header: string | undefined): { credentialID: string; secret: string } {
  if (!/^Bearer +\S/i.test(header ?? '')) {
    throw new ApiError('MISSING_CREDENTIAL', 'Authorization: send "Bearer <account credential>"');
  }
  const parsed = parseCredential(bearerToken(header) ?? '');
  if (!parsed) throw new ApiError('INVALID_CREDENTIAL', 'Authorization: the account credential is not known');
  return parsed;
}

/** Throws INVALID_CREDENTIAL, CREDENTIAL_REVOKED or CREDENTIAL_EXPIRED; who does not know the secret learns no more. */
export function authenticate(found: Caller | undefined, secret: string): Caller {
  if (!found || !matchesHash(secret, found.secretHash)) {
    throw new ApiError('INVALID_CREDENTIAL', 'Authorization: the account credential is not known');
  }
  if (found.revoked) throw new ApiError('CREDENTIAL_REVOKED', 'Authorization: the account credential was revoked');
  if (found.expired) throw new ApiError('CREDENTIAL_EXPIRED', 'Authorization: the account credential has expired');
  return found;
}

/** Throws OWNER_INACTIVE when the caller is blocked or of a suspended company (interpretation 12). */
export function requireActive({ blocked, suspended }: Caller): void {
  if (blocked) throw new ApiError('OWNER_INACTIVE', 'The account is blocked.');
  if (suspended) throw new ApiError('OWNER_INACTIVE', 'The company of the account is suspended.');
}

/** Throws PLAN_FEATURE_UNAVAILABLE (contract 5 rule 8, interpretation 15). */
export function requireApiAccess({ apiAccess }: Caller): void {
  if (!apiAccess) throw new ApiError('PLAN_FEATURE_UNAVAILABLE', 'The plan of the company has no API access.');
}

/** The `X-Process-Key` header. Throws MISSING_PROCESS_KEY. */
export function readProcessKey(header: string | string[] | undefined): string {
  const key = typeof header === 'string' ? header.trim() : '';
  if (key === '') throw new ApiError('MISSING_PROCESS_KEY', 'X-Process-Key: send the process key');
  return key;
}

/** Throws INVALID_PROCESS_ID. */
export function readProcessID(text: unknown): string {
  const processID = readID(text);
  if (processID === undefined) throw new ApiError('INVALID_PROCESS_ID', 'processID: is not a UUID');
  return processID;
}

/**
 * The rest of contract 5 for one process, in the order of interpretation 11: exists, linked, its key, API access, permission. A
 * route that names no `permission` needs only the link (interpretation 12).
 */
export function authorizeProcess(access: ProcessAccess | undefined, permission?: Permission): AuthorizedProcess {
  if (!access) throw new ApiError('PROCESS_NOT_FOUND', 'processID: no such process');
  const { owned, permissions, apiEnabled, key } = access;
  if (!owned && !permissions) throw new ApiError('FORBIDDEN', 'The process is neither yours nor shared with you.');
  if (!key) throw new ApiError('INVALID_PROCESS_KEY', 'X-Process-Key: is no key of this process');
  if (key.revoked) throw new ApiError('PROCESS_KEY_REVOKED', 'X-Process-Key: was revoked');
  if (key.expired) throw new ApiError('PROCESS_KEY_EXPIRED', 'X-Process-Key: has expired');
  if (!apiEnabled) throw new ApiError('API_DISABLED', 'The API access permission of the process is BLOQUEADO.');
  if (!owned && permission !== undefined && !permissions?.[permission]) {
    throw new ApiError('FORBIDDEN', `The sharing of the process does not grant the permission "${permission}".`);
  }
  return { ...access, key };
}
