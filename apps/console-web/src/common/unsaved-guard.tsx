import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from './confirm-dialog';

/** Asks before the user leaves or reloads the page while `isDirty`, which says that the page has unsaved edits. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return blocker.status === 'blocked' && <LeaveDialog onLeave={blocker.proceed} onStay={blocker.reset} />;
}

interface LeaveDialogProps {
  /** Says what is lost; the default says that unsaved edits are. */
  text?: string;
  onLeave: () => void;
  onStay: () => void;
}

/** The question whether the user leaves, which would lose something. */
export function LeaveDialog({ text, onLeave, onStay }: LeaveDialogProps) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      opened
      danger
      title={t('unsaved.title')}
      confirm={t('unsaved.leave')}
      mutation={{ isPending: false, error: null }}
      onConfirm={onLeave}
      onClose={onStay}
    >
      {text ?? t('unsaved.text')}
    </ConfirmDialog>
  );
}
