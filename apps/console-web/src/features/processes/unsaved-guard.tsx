import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../common/confirm-dialog';

/** Asks before the user leaves the page with unsaved edits. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const { t } = useTranslation('processes');
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      opened
      danger
      title={t('unsaved.title')}
      confirm={t('unsaved.leave')}
      mutation={{ isPending: false, error: null }}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      {t('unsaved.text')}
    </ConfirmDialog>
  );
}
