import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer, OriginChange } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { showSuccessNotification } from '../../common/notify';
import { OriginForm } from './origin-form';
import { bodyOf, NEW_ORIGIN, valuesOf, type OriginValues } from './origin-values';
import { addOrigin, changeOrigin, removeOrigin, webhookKeys } from './queries';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Adds an origin and goes to its page, which shows the URLs. */
export function AddOriginDialog({ pid, opened, onClose }: DialogProps & { pid: string }) {
  const { t } = useTranslation(['webhooks', 'common']);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: (values: OriginValues) => addOrigin(pid, bodyOf(values)),
    gcTime: 0,
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: webhookKeys.origins(pid) });
      await navigate({ to: '/processes/$pid/webhooks/$oid', params: { pid, oid: id } });
    },
  });
  const close = () => {
    add.reset();
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={false}
      title={t('add.open')}
      closeButtonProps={{ 'aria-label': t('common:actions.close') }}
    >
      <OriginForm
        initialValues={NEW_ORIGIN}
        submitText={t('add.submit')}
        error={add.error}
        isPending={add.isPending}
        onSubmit={(values, fail) => add.mutate(values, { onError: fail })}
        onCancel={close}
      />
    </Modal>
  );
}

export function ChangeOriginDialog({ origin, opened, onClose }: DialogProps & { origin: OriginAnswer }) {
  const { t } = useTranslation(['webhooks', 'common']);
  const change = useChangeOrigin(origin);
  const close = () => {
    // The mutation holds the secret that was typed.
    change.reset();
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={false}
      title={t('change.title')}
      closeButtonProps={{ 'aria-label': t('common:actions.close') }}
    >
      <OriginForm
        initialValues={valuesOf(origin)}
        submitText={t('change.submit')}
        error={change.error}
        isPending={change.isPending}
        onSubmit={(values, fail) =>
          change.mutate(bodyOf(values), {
            onError: fail,
            onSuccess: () => {
              close();
              showSuccessNotification(t('change.done'));
            },
          })
        }
        onCancel={close}
      />
    </Modal>
  );
}

export function RemoveOriginDialog({ origin, opened, onClose }: DialogProps & { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id, processID, name } = origin;
  const remove = useMutation({
    mutationFn: () => removeOrigin(id),
    onSuccess: async () => {
      await navigate({ to: '/processes/$pid/webhooks', params: { pid: processID } });
      await queryClient.invalidateQueries({ queryKey: webhookKeys.origins(processID) });
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      title={t('remove.title', { name })}
      confirm={t('remove.open')}
      danger
      mutation={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t('remove.text')}
    </ConfirmDialog>
  );
}

export function useChangeOrigin({ id, processID }: OriginAnswer) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: OriginChange) => changeOrigin(id, change),
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhookKeys.origins(processID) }),
  });
}
