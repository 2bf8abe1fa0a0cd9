import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from './confirm-dialog';

interface UnsavedGuardProps {
  /** Whether the page has unsaved edits. */
  isDirty: boolean;
  /** Whether the edits are being sent. */
  isSending: boolean;
}

/** Asks before the user leaves or reloads the page while `isDirty`. */
export function UnsavedGuard({ isDirty, isSending }: UnsavedGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  useEffect(() => {
    // The edits were saved while the question was shown, so the question closes.
    if (!isDirty) blocker.reset?.();
  });
  return (
    blocker.status === 'blocked' && (
      <LeaveDialog isSending={isSending} onLeave={blocker.proceed} onStay={blocker.reset} />
    )
  );
}

interface LeaveDialogProps {
  /** Whether the user leaves before the answer of a call; else what is not saved would be lost. */
  isSending: boolean;
  /** Says what is lost; the default says that unsaved edits are. */
  text?: string;
  onLeave: () => void;
  onStay: () => void;
}

/** The question whether the user leaves, which would lose something. */
export function LeaveDialog({ isSending, text, onLeave, onStay }: LeaveDialogProps) {
  const { t } = useTranslation();
  const reason = isSending ? 'sending' : 'unsaved';
  return (
    <ConfirmDialog
      opened
      danger
      title={t(`${reason}.title`)}
      confirm={t(`${reason}.leave`)}
      mutation={{ isPending: false, error: null }}
      onConfirm={onLeave}
      onClose={onStay}
    >
      {text ?? t(`${reason}.text`)}
    </ConfirmDialog>
  );
}
