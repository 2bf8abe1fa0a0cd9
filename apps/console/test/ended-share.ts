import { waitUntil } from '../../../test/support/wait-until';
import { waitingTransactions } from '../../../test/support/waiting-transactions';
import type { ConsoleWorld, TestPerson } from './world';

/** See `waitingTransactions`. */
const POLL = { everyMs: 200 };

/** Makes a call that waits for the lock of a process, ends the caller's share meanwhile, and returns the answer of the call. */
export async function callWhileShareEnds<Answer>(
  { store }: ConsoleWorld,
  caller: TestPerson,
  processID: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  // A wait of the test before may still be counted.
  await waitUntil('no call waits', async () => (await waitingTransactions(store)) === 0, POLL);
  const { answer } = await store.transaction(async (tx) => {
    await tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [processID]);
    const pending = call();
    await waitUntil('the call waits for the lock', async () => (await waitingTransactions(store)) > 0, POLL);
    await tx.write('DELETE FROM process_share WHERE process_id = ? AND account_id = ?', [processID, caller.id]);
    return { answer: pending };
  });
  return answer;
}
