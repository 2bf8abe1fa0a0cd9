import type { Store } from '@batuta/database';
import { waitUntil } from './wait-until';
import { waitingTransactions } from './waiting-transactions';

/** See `waitingTransactions`. */
const POLL = { everyMs: 200 };

interface Options {
  /** Work of the transaction of the change while the call waits for it. */
  meanwhile?: (tx: Store) => Promise<unknown>;
}

/**
 * Makes a call while a transaction makes the change, which is committed once the call waits for a lock of it. Returns the answer of the
 * call.
 */
export async function callDuringChange<Answer>(
  store: Store,
  change: (tx: Store) => Promise<unknown>,
  call: () => Promise<Answer>,
  { meanwhile }: Options = {},
): Promise<Answer> {
  // A wait of the test before may still be counted.
  await waitUntil('no call waits', async () => (await waitingTransactions(store)) === 0, POLL);
  const { answer } = await store.transaction(async (tx) => {
    await change(tx);
    let answered = false;
    const markAnswered = () => {
      answered = true;
    };
    const pending = call();
    pending.then(markAnswered, markAnswered);
    // A call that does not wait has its answer before the change: the test sees it in the answer.
    const isReady = async () => answered || (await waitingTransactions(store)) > 0;
    await waitUntil('the call waits for a lock or is answered', isReady, POLL);
    await meanwhile?.(tx);
    return { answer: pending };
  });
  return answer;
}

/** The changes that end what an account may do with a process, each under the lock of the process. */
export const endings = {
  share: (tx: Store, processID: string, accountID: string) =>
    end(tx, processID, 'DELETE FROM process_share WHERE process_id = ? AND account_id = ?', [processID, accountID]),
  permissions: (tx: Store, processID: string, accountID: string) =>
    end(
      tx,
      processID,
      'UPDATE process_share SET may_edit = 0, may_schedule = 0 WHERE process_id = ? AND account_id = ?',
      [processID, accountID],
    ),
  access: (tx: Store, processID: string, accountID: string) =>
    end(tx, processID, 'UPDATE account SET blocked = 1 WHERE account_id = ?', [accountID]),
  company: (tx: Store, processID: string, accountID: string) =>
    end(
      tx,
      processID,
      'UPDATE company SET suspended = 1 WHERE company_id = (SELECT company_id FROM account WHERE account_id = ?)',
      [accountID],
    ),
};

async function end(tx: Store, processID: string, sql: string, parameters: string[]): Promise<void> {
  await tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [processID]);
  await tx.write(sql, parameters);
}
