import { LeaveDialog } from './confirm-dialog';
import { useLeaveBlocker } from './use-leave-blocker';

interface UnsavedGuardProps {
  /** Whether the page has unsaved edits. */
  isDirty: boolean;
  /** Whether the edits are being sent, which only changes the text of the question. */
  isSending: boolean;
}

/** Asks before the user leaves or reloads the page while `isDirty`. */
export function UnsavedGuard({ isDirty, isSending }: UnsavedGuardProps) {
  const { isBlocked, stay, leave } = useLeaveBlocker({ mayLose: () => isDirty });
  return isBlocked && <LeaveDialog isSending={isSending} onLeave={leave} onStay={stay} />;
}
