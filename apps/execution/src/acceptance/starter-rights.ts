import {
  requireActive,
  requireGranted,
  UNKNOWN_SESSION_MESSAGE,
  type Permission,
  type Permissions,
} from '@batuta/auth';
import { toPermissions, type ShareColumns } from '@batuta/catalog';
import type { StartRequest, Trigger, TriggerKind } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

/** What the database says of an account that starts processes by hand. */
export interface Starter {
  blocked: boolean;
  /** True when the company of the account is suspended. */
  suspended: boolean;
  /** The permissions of its shares of the processes of the batch, by process id. */
  shares: Map<string, Permissions>;
  /** The hashes of those login sessions of the batch that are valid, whichever account they belong to. */
  sessions: Set<string>;
}

type StarterRow = ShareColumns & {
  account_id: string;
  blocked: number;
  suspended: number | null;
  process_id: string | null;
};

/**
 * The permission that the account of a start by hand needs; `webhook` is the replay of a capture, because a call of a webhook has no account. A
 * schedule starts as the owner of the process, and the gateway has just checked the caller of the API.
 */
const PERMISSIONS_BY_HAND: Partial<Record<TriggerKind, Permission>> = {
  manual: 'execute',
  debug: 'edit',
  webhook: 'execute',
};

function permissionFor({ kind, accountID }: Trigger): Permission | undefined {
  return accountID === null ? undefined : PERMISSIONS_BY_HAND[kind];
}

/** The accounts of the starts by hand, by account id; an account that was deleted is missing. */
export async function readStarters(
  store: Store,
  requests: Pick<StartRequest, 'processID' | 'trigger'>[],
): Promise<Map<string, Starter>> {
  const byHand = requests.filter(({ trigger }) => permissionFor(trigger) !== undefined);
  if (byHand.length === 0) return new Map();
  const [rows, sessions] = await Promise.all([readStarterRows(store, byHand), readSessions(store, byHand)]);
  const starters = new Map<string, Starter>();
  for (const row of rows) {
    const starter = starters.get(row.account_id) ?? {
      blocked: row.blocked === 1,
      suspended: row.suspended === 1,
      shares: new Map<string, Permissions>(),
      sessions,
    };
    if (row.process_id !== null) starter.shares.set(row.process_id, toPermissions(row));
    starters.set(row.account_id, starter);
  }
  return starters;
}

function readStarterRows(store: Store, byHand: Pick<StartRequest, 'processID' | 'trigger'>[]): Promise<StarterRow[]> {
  return store.rows<StarterRow>(
    `SELECT a.account_id, a.blocked, c.suspended, s.process_id,
            s.may_execute, s.may_edit, s.may_api, s.may_schedule, s.may_delete, s.may_share
       FROM account a
       LEFT JOIN company c ON c.company_id = a.company_id
       LEFT JOIN process_share s ON s.account_id = a.account_id AND s.process_id IN (?)
      WHERE a.account_id IN (?)`,
    [byHand.map(({ processID }) => processID), byHand.map(({ trigger }) => trigger.accountID)],
  );
}

async function readSessions(store: Store, byHand: Pick<StartRequest, 'trigger'>[]): Promise<Set<string>> {
  const hashes = byHand.flatMap(({ trigger }) => (trigger.sessionHash === undefined ? [] : [trigger.sessionHash]));
  if (hashes.length === 0) return new Set();
  const rows = await store.rows<{ token_hash: Buffer }>(
    'SELECT token_hash FROM login_session WHERE token_hash IN (?) AND expires_at > UTC_TIMESTAMP(3)',
    [hashes.map((hash) => Buffer.from(hash, 'hex'))],
  );
  return new Set(rows.map(({ token_hash }) => token_hash.toString('hex')));
}

/**
 * Checks the account of a start by hand, as the console does before it sends one: the right may have ended since (interpretation 12). Throws
 * OWNER_INACTIVE when this account has no active access or was deleted, INVALID_CREDENTIAL when its login session has ended, PROCESS_NOT_FOUND
 * without a share, and FORBIDDEN when the share lacks the permission. Other starts pass.
 */
export function requireStarterRights(
  { trigger, processID }: Pick<StartRequest, 'processID' | 'trigger'>,
  ownerAccountID: string,
  starters: ReadonlyMap<string, Starter>,
): void {
  const permission = permissionFor(trigger);
  if (permission === undefined) return;
  const starter = starters.get(trigger.accountID ?? '');
  requireActive(starter ?? { blocked: true, suspended: false });
  if (trigger.sessionHash !== undefined && !starter?.sessions.has(trigger.sessionHash)) {
    throw new ApiError('INVALID_CREDENTIAL', UNKNOWN_SESSION_MESSAGE);
  }
  if (trigger.accountID === ownerAccountID) return;
  const permissions = starter?.shares.get(processID);
  if (!permissions) throw new ApiError('PROCESS_NOT_FOUND');
  requireGranted(permissions, permission);
}
