import type { MantineSize } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LeaveDialog } from './confirm-dialog';
import { ModalWindow } from './modal-window';
import { SecretInDialog } from './secret-in-dialog';
import { SendingInDialog } from './sending-in-dialog';
import { useLeaveBlocker } from './use-leave-blocker';

interface DialogProps {
  opened?: boolean;
  title: ReactNode;
  size?: MantineSize;
  /** Called when the user closes the dialog: what was typed is discarded. */
  onClose: () => void;
  children: ReactNode;
}

/**
 * A dialog that a click beside it does not close. While a field shows what the user typed, Escape, the close button, the browser's
 * Back and the closing of the tab ask first; a form closes the dialog itself when it is saved or cancelled. While a form is being sent, Escape
 * and the close button do nothing, and Back and the closing of the tab ask whether the user leaves before the answer. While the dialog shows a
 * secret that nobody can read again, only a button of its content closes it.
 */
export function Dialog({ opened = true, title, size, onClose, children }: DialogProps) {
  const { t } = useTranslation();
  const typedField = useRef<Element>(null);
  const [hasSecret, setHasSecret] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [isClosing, setIsClosing] = useState(false);
  // Text is unsaved only while its field is on the page: a form that is saved leaves the page, or its result, such as a
  // secret, replaces it.
  const isUnsaved = () => hasSecret || typedField.current?.isConnected === true;
  const mayLose = () => opened && (isSending || isUnsaved());
  const blocker = useLeaveBlocker({ mayLose, onlyBack: true });
  const isAsking = isClosing || blocker.isBlocked;
  const stay = () => {
    setIsClosing(false);
    blocker.stay();
  };
  const leave = () => {
    setIsClosing(false);
    if (blocker.isBlocked) blocker.leave();
    else onClose();
  };
  const close = () => {
    if (isSending) return;
    if (isUnsaved()) setIsClosing(true);
    else onClose();
  };
  useEffect(() => {
    // The form was answered while the question was shown, and nothing is lost any more, so the question closes.
    if (isClosing && !mayLose()) setIsClosing(false);
  });
  return (
    <>
      <ModalWindow
        opened={opened}
        onClose={close}
        title={title}
        size={size}
        closeOnClickOutside={false}
        // Without this, Escape in the question would also close this dialog.
        closeOnEscape={!isAsking && !hasSecret}
        withCloseButton={!hasSecret}
      >
        <div onInput={({ target }) => (typedField.current = target instanceof Element ? target : null)}>
          <SendingInDialog value={setIsSending}>
            <SecretInDialog value={setHasSecret}>{children}</SecretInDialog>
          </SendingInDialog>
        </div>
      </ModalWindow>
      {isAsking && (
        <LeaveDialog
          isSending={isSending}
          text={hasSecret ? t('secret.leave') : undefined}
          onLeave={leave}
          onStay={stay}
        />
      )}
    </>
  );
}
