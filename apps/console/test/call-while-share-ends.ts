import { callDuringChange, revocations } from '../../../test/support/call-during-change';
import type { ConsoleWorld, TestPerson } from './world';

/** Makes a call that waits for the lock of a process, ends the caller's share meanwhile, and returns the answer of the call. */
export function callWhileShareEnds<Answer>(
  { store }: ConsoleWorld,
  caller: TestPerson,
  processID: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  return callDuringChange(store, (tx) => revocations.share(tx, processID, caller.id), call);
}
