import { ApiError } from '@batuta/errors';
import { readID } from './access';

/** A webhook URL and all that decides what a call of it may do, as the database has it at this moment. */
export interface Hook {
  originID: string;
  processID: string;
  kind: 'dev' | 'prod';
  /** Rotated away. */
  revoked: boolean;
  enabled: boolean;
  originName: string;
  responseMode: 'Imediata' | 'Aguardar';
  waitSeconds: number;
  /** Calls must be signed. */
  signed: boolean;
  apiEnabled: boolean;
  /** The owner of the process is neither blocked nor of a suspended company. */
  ownerActive: boolean;
  /** Of the owner's plan. */
  apiAccess: boolean;
  requestsPerMinute: number;
  /** The published version; null when there is none. */
  versionID: string | null;
}

/**
 * What the token and the origin say, before the body is looked at (interpretations 15, 22 and 23): NOT_FOUND, which does not
 * tell whether the process exists; WEBHOOK_TOKEN_REVOKED; WEBHOOK_DISABLED; of a development URL OWNER_INACTIVE; of a
 * production URL PLAN_FEATURE_UNAVAILABLE. The owner behind a production URL is judged with the start, after its replay.
 */
export function authorizeHook(hook: Hook | undefined, pid: unknown): Hook {
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

function requireActiveOwner(hook: Hook): Hook {
  if (!hook.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
  return hook;
}
