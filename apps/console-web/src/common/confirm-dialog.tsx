import { Button, Group, Stack, Text } from '@mantine/core';
import { useLayoutEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from './error-message';
import { ModalWindow } from './modal-window';
import { useLeaveBlocker } from './use-leave-blocker';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  children: ReactNode;
  /** The label of the button, such as "Delete". */
  confirm: string;
  /** True makes the button red, for an action by which something is lost or ended, or a right is taken away. */
  danger?: boolean;
  /** A mutation of TanStack Query; the caller closes the dialog when it has succeeded. A dialog that opens resets the error of an earlier attempt. */
  mutation: { isPending: boolean; error: Error | null; reset?: () => void };
  onConfirm: () => void;
  /** Called when the user cancels; not while the mutation is under way. */
  onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useTranslation();
  const { opened, title, children, confirm, danger = false, mutation, onConfirm, onClose } = props;
  const { isPending, error, reset } = mutation;
  // A dialog that opens must not show the error of an earlier attempt.
  useLayoutEffect(() => {
    if (opened && error) reset?.();
    // An error that arrives while the dialog is open stays.
  }, [opened]);
  // Closing would not stop the action, and nobody would see its error.
  const close = () => {
    if (!isPending) onClose();
  };
  return (
    <>
      <ModalWindow opened={opened} onClose={close} title={title}>
        <Stack>
          {typeof children === 'string' ? <Text>{children}</Text> : children}
          {error && <ErrorMessage error={error} />}
          <Group justify="flex-end">
            <Button variant="default" disabled={isPending} onClick={close} data-autofocus>
              {t('actions.cancel')}
            </Button>
            <Button color={danger ? 'red' : undefined} loading={isPending} onClick={onConfirm}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </ModalWindow>
      {opened && isPending && <SendingGuard />}
    </>
  );
}

/** Asks before the user leaves while the action is under way: nobody would see its error, or the secret that it answers. */
function SendingGuard() {
  const { isBlocked, stay, leave } = useLeaveBlocker({ mayLose: () => true, onlyBack: true });
  return isBlocked && <LeaveDialog isSending onLeave={leave} onStay={stay} />;
}

interface LeaveDialogProps {
  /** Whether the user leaves before the answer of a call; else what is not saved would be lost. */
  isSending: boolean;
  /** Says what is lost, in place of the usual text about unsaved edits or, with `isSending`, about the answer of the call. */
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
