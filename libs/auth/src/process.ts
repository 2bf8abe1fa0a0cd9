import { ApiError } from '@batuta/errors';
import { readID } from './id';
import { messageOfUnknownSecret } from './misplaced-secret';

/** The permissions that a share can grant (contract 2.3, interpretation 12). */
export const PERMISSIONS = ['execute', 'edit', 'api', 'schedule', 'delete', 'share'] as const;
export type Permission = (typeof PERMISSIONS)[number];
export type Permissions = Record<Permission, boolean>;

/** What the database says of the process key that a request has sent. */
export interface ProcessKeyState {
  keyID: string;
  /** The Identifier of the key, which the audit trail records as the executor (contract 1). */
  identifier: string;
  revoked: boolean;
  expired: boolean;
}

/** What one account may do with one process by the process key of its request, if any; the account may have no link to the process. */
export interface ProcessAccess {
  processID: string;
  owned: boolean;
  /** The permissions that the share of the process grants to the account; undefined without a share. */
  permissions: Permissions | undefined;
  /** Whether the process allows calls by API and by production URLs of webhooks. */
  apiEnabled: boolean;
  /** undefined when the request has no key of this process. */
  key: ProcessKeyState | undefined;
}

/** A process whose key the request carries; whether the caller owns it or has a share is checked before (`requireOwnedOrShared`). */
export interface AuthorizedProcess extends ProcessAccess {
  key: ProcessKeyState;
}

/** The trimmed `X-Process-Key` header. Throws MISSING_PROCESS_KEY when it is missing or empty. */
export function readProcessKey(header: string | string[] | undefined): string {
  const key = typeof header === 'string' ? header.trim() : '';
  if (key === '') throw new ApiError('MISSING_PROCESS_KEY', 'X-Process-Key: send the process key');
  return key;
}

/** Returns the process id of the path or the body if it is a UUID; otherwise throws INVALID_PROCESS_ID. */
export function readProcessID(text: unknown): string {
  const processID = readID(text);
  if (processID !== undefined) return processID;
  throw new ApiError('INVALID_PROCESS_ID', `processID: ${text === undefined ? 'is required' : 'is not a UUID'}`);
}

/** Throws PROCESS_NOT_FOUND, or FORBIDDEN when the caller neither owns the process nor has a share of it. */
export function requireOwnedOrShared(access: ProcessAccess | undefined): ProcessAccess {
  if (!access) throw new ApiError('PROCESS_NOT_FOUND', 'processID: no such process');
  const { owned, permissions } = access;
  if (!owned && !permissions) throw new ApiError('FORBIDDEN', 'The process is neither yours nor shared with you.');
  return access;
}

/**
 * Throws INVALID_PROCESS_KEY, PROCESS_KEY_REVOKED or PROCESS_KEY_EXPIRED unless the key opens the process. `sent` is the value of the
 * header, of which the message shows no more than the kind of another secret.
 */
export function requireValidKey(access: ProcessAccess, sent: string): AuthorizedProcess {
  const { key } = access;
  if (!key) throw invalidKey(sent);
  requireUsableKey(key);
  return { ...access, key };
}

/** Throws PROCESS_KEY_REVOKED or PROCESS_KEY_EXPIRED unless the key is usable. */
export function requireUsableKey({ revoked, expired }: Pick<ProcessKeyState, 'revoked' | 'expired'>): void {
  if (revoked) throw new ApiError('PROCESS_KEY_REVOKED', 'X-Process-Key: was revoked');
  if (expired) throw new ApiError('PROCESS_KEY_EXPIRED', 'X-Process-Key: has expired');
}

function invalidKey(sent: string): ApiError {
  // Node joins the values of a header that is sent more than once; a key has no comma.
  const problem = sent.includes(',') ? 'has more than one value' : 'is no key of this process';
  const message = messageOfUnknownSecret('X-Process-Key', sent, 'bpk', `X-Process-Key: ${problem}`);
  return new ApiError('INVALID_PROCESS_KEY', message);
}

/**
 * Throws API_DISABLED, for the owner as well, or FORBIDDEN when the caller is not the owner and its share does not grant
 * `permission`. Without `permission` any share is enough (interpretation 12).
 */
export function requirePermission({ owned, permissions, apiEnabled }: ProcessAccess, permission?: Permission): void {
  if (!apiEnabled) throw new ApiError('API_DISABLED', 'The API access permission of the process is BLOQUEADO.');
  if (!owned && permission !== undefined) requireGranted(permissions, permission);
}

/** Throws FORBIDDEN when a share of a process lacks the permission, or there is no share (interpretation 12). */
export function requireGranted(permissions: Permissions | undefined, permission: Permission): void {
  if (!permissions?.[permission]) throw new ApiError('FORBIDDEN', `The share lacks the permission ${permission}.`);
}
