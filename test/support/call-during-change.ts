import type { Store } from '@batuta/database';
import { waitUntil } from './wait-until';

/** A statement that runs longer than this counts as blocked; one that is not blocked takes much less time. */
const MIN_BLOCKED_MS = 150;

interface Options {
  /** The kind of statement at which the call waits: a SELECT that locks rows (the default), or an UPDATE or DELETE. */
  blocked?: 'lock' | 'write';
  /** Work of the transaction of the change while the call waits for it. */
  meanwhile?: (tx: Store) => Promise<unknown>;
}

/**
 * Makes the change in a transaction, then begins the call, and commits once the call waits for a lock of that transaction. Returns the answer of
 * the call. Throws when the call is answered without such a wait.
 */
export async function callDuringChange<Answer>(
  store: Store,
  change: (tx: Store) => Promise<unknown>,
  call: () => Promise<Answer>,
  { blocked = 'lock', meanwhile }: Options = {},
): Promise<Answer> {
  const { answer } = await store.transaction(async (tx) => {
    await change(tx);
    let answered = false;
    const markAnswered = () => {
      answered = true;
    };
    const pending = call();
    pending.then(markAnswered, markAnswered);
    await waitUntil('the call waits for a lock or is answered', async () => answered || (await isBlocked(tx, blocked)));
    if (answered) throw new Error('The call was answered without waiting for a lock of the change');
    await meanwhile?.(tx);
    return { answer: pending };
  });
  return answer;
}

const BLOCKED_STATEMENTS = {
  lock: /^\s*SELECT\b.*\b(FOR UPDATE|LOCK IN SHARE MODE)\b(?!\s+(SKIP LOCKED|NOWAIT)\b)/is,
  write: /^\s*(UPDATE|DELETE)\b/i,
};

/**
 * Whether a statement of this kind is blocked in the database of the test. The list of processes is always current,
 * whereas InnoDB copies its list of lock waits only when nobody has read it for 100 ms.
 * The poll is a statement of `tx` itself, because the database ends a transaction that is silent for ten seconds.
 */
async function isBlocked(tx: Store, kind: 'lock' | 'write'): Promise<boolean> {
  const running = await tx.rows<{ statement: string | null }>(
    `SELECT info AS statement FROM information_schema.processlist
      WHERE db = DATABASE() AND id <> CONNECTION_ID() AND command <> 'Sleep' AND time_ms > ?`,
    [MIN_BLOCKED_MS],
  );
  return running.some(({ statement }) => BLOCKED_STATEMENTS[kind].test(statement ?? ''));
}

/**
 * Changes that end what an account may do with a process, each under the lock of the process: they delete its `share`, take away `permissions` of
 * the share, block the account (`access`), delete its login `session` or let it expire (`sessionTime`), or suspend its `company`.
 */
export const revocations = {
  share: (tx: Store, processID: string, accountID: string) =>
    revoke(tx, processID, 'DELETE FROM process_share WHERE process_id = ? AND account_id = ?', [processID, accountID]),
  permissions: (tx: Store, processID: string, accountID: string) =>
    revoke(
      tx,
      processID,
      'UPDATE process_share SET may_edit = 0, may_schedule = 0 WHERE process_id = ? AND account_id = ?',
      [processID, accountID],
    ),
  access: (tx: Store, processID: string, accountID: string) =>
    revoke(tx, processID, 'UPDATE account SET blocked = 1 WHERE account_id = ?', [accountID]),
  session: (tx: Store, processID: string, accountID: string) =>
    revoke(tx, processID, 'DELETE FROM login_session WHERE account_id = ?', [accountID]),
  sessionTime: (tx: Store, processID: string, accountID: string) =>
    revoke(tx, processID, 'UPDATE login_session SET expires_at = UTC_TIMESTAMP(3) WHERE account_id = ?', [accountID]),
  company: (tx: Store, processID: string, accountID: string) =>
    revoke(
      tx,
      processID,
      'UPDATE company SET suspended = 1 WHERE company_id = (SELECT company_id FROM account WHERE account_id = ?)',
      [accountID],
    ),
};

async function revoke(tx: Store, processID: string, sql: string, parameters: string[]): Promise<void> {
  await tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [processID]);
  await tx.write(sql, parameters);
}
