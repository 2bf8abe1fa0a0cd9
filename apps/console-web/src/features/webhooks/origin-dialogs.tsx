import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer, OriginChange } from '../../api/generated/console-api';
import { isEmpty, useChangesOf } from '../../common/concurrent-edit';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { Dialog } from '../../common/dialog';
import { showErrorNotification, showSuccessNotification } from '../../common/notify';
import { processQueryKeys } from '../processes/queries';
import { OriginForm } from './origin-form';
import {
  originBodyOf,
  changeOf,
  editedSettings,
  NEW_ORIGIN,
  settingsOf,
  originValuesOf,
  type OriginValues,
} from './origin-values';
import { addOrigin, changeOrigin, readOrigin, removeOrigin, webhookKeys } from './queries';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Adds an origin and goes to its page, which shows the URLs. */
export function AddOriginDialog({ pid, opened, onClose }: DialogProps & { pid: string }) {
  const { t } = useTranslation('webhooks');
  const refresh = useOriginRefresh(pid);
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: (values: OriginValues) => addOrigin(pid, originBodyOf(values)),
    gcTime: 0,
    onSuccess: async ({ id }) => {
      await refresh();
      await navigate({ to: '/processes/$pid/webhooks/$oid', params: { pid, oid: id } });
    },
  });
  const close = () => {
    add.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t('add.open')}>
      <OriginForm
        initialValues={NEW_ORIGIN}
        submitText={t('add.submit')}
        error={add.error}
        isPending={add.isPending}
        onSubmit={(values, fail) => add.mutate(values, { onError: fail })}
        onCancel={close}
      />
    </Dialog>
  );
}

export function ChangeOriginDialog({ origin, opened, onClose }: DialogProps & { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('change.title')}>
      <ChangeOriginForm origin={origin} onClose={onClose} />
    </Dialog>
  );
}

function ChangeOriginForm({ origin: shown, onClose }: { origin: OriginAnswer; onClose: () => void }) {
  const { t } = useTranslation('webhooks');
  // The page keeps reading the origin; the form edits the origin as it was when the form opened.
  const [origin] = useState(shown);
  const { id, processID } = origin;
  const refresh = useOriginRefresh(processID);
  const changesOf = useChangesOf(settingsOf(origin), async () => settingsOf(await readOrigin(processID, id)));
  const save = useMutation({
    mutationFn: async (values: OriginValues) => {
      const change = changeOf(values, await changesOf(editedSettings(origin, values)));
      if (!isEmpty(change)) await changeOrigin(id, change);
    },
    // The mutation holds the typed secret, so the cache drops it as soon as the dialog is closed.
    gcTime: 0,
    onSuccess: async () => {
      await refresh();
      onClose();
      showSuccessNotification(t('change.done'));
    },
  });
  return (
    <OriginForm
      initialValues={originValuesOf(origin)}
      submitText={t('change.submit')}
      error={save.error}
      isPending={save.isPending}
      onSubmit={(values, fail) => save.mutate(values, { onError: fail })}
      onCancel={onClose}
    />
  );
}

export function RemoveOriginDialog({ origin, opened, onClose }: DialogProps & { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const navigate = useNavigate();
  const { id, processID, name } = origin;
  const refresh = useOriginRefresh(processID);
  const remove = useMutation({
    mutationFn: () => removeOrigin(id),
    onSuccess: async () => {
      await navigate({ to: '/processes/$pid/webhooks', params: { pid: processID } });
      await refresh();
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

/** A mutation for the switch of an origin: it saves a setting at once, and shows a notification when that fails. */
export function useChangeOrigin({ id, processID }: OriginAnswer) {
  return useMutation({
    mutationFn: (change: OriginChange) => changeOrigin(id, change),
    gcTime: 0,
    onSuccess: useOriginRefresh(processID),
    onError: showErrorNotification,
  });
}

/** Reads the origins of the process, and the list with their number, again. */
function useOriginRefresh(pid: string): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: webhookKeys.origins(pid) }),
      queryClient.invalidateQueries({ queryKey: processQueryKeys.list }),
    ]);
}
