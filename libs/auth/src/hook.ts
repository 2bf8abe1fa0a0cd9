import { ApiError } from '@batuta/errors';
import { readID } from './id';

/** A webhook URL with all facts that decide whether it may be called, as read from the database for this request. */
export interface WebhookUrl {
  originID: string;
  processID: string;
  /** The company that owns the process. */
  companyID: string;
  kind: 'dev' | 'prod';
  /** Whether a newer URL of the origin has replaced this one. */
  revoked: boolean;
  /** Whether the origin is switched on. */
  enabled: boolean;
  originName: string;
  responseMode: 'Imediata' | 'Aguardar';
  /** How long a call in mode Aguardar is held at most. */
  waitSeconds: number;
  /** Whether calls must be signed. */
  signed: boolean;
  /** Whether the process allows calls by API and by production URLs. */
  apiEnabled: boolean;
  /** The owner of the process is not blocked and does not belong to a suspended company. */
  ownerActive: boolean;
  /** Whether the plan of the owner includes API access. */
  apiAccess: boolean;
  /** The rate limit of the plan of the owner. */
  requestsPerMinute: number;
  /** The published version; null when there is none. */
  versionID: string | null;
}

/**
 * The checks of token and origin, which come before those of the body (interpretations 15, 22 and 23). Throws NOT_FOUND, which does not say whether
 * the process exists, WEBHOOK_TOKEN_REVOKED or WEBHOOK_DISABLED; for a development URL also OWNER_INACTIVE, for a production URL also
 * PLAN_FEATURE_UNAVAILABLE. Execution checks the owner of a production URL, because it answers a replay before that check.
 */
export function authorizeHook(hook: WebhookUrl | undefined, pid: unknown): WebhookUrl {
  if (!hook || hook.processID !== readID(pid)) throw new ApiError('NOT_FOUND', 'There is no such webhook URL.');
  if (hook.revoked) throw new ApiError('WEBHOOK_TOKEN_REVOKED', 'This webhook URL was rotated; copy the new one.');
  if (!hook.enabled) throw new ApiError('WEBHOOK_DISABLED', 'The webhook origin is switched off.');
  if (hook.kind === 'dev') return requireActiveOwner(hook);
  if (!hook.apiEnabled)
    throw new ApiError('WEBHOOK_DISABLED', 'The API access permission of the process is BLOQUEADO.');
  if (!hook.apiAccess) {
    throw new ApiError('PLAN_FEATURE_UNAVAILABLE', 'The plan of the company that owns the process has no API access.');
  }
  return hook;
}

function requireActiveOwner(hook: WebhookUrl): WebhookUrl {
  if (!hook.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
  return hook;
}
