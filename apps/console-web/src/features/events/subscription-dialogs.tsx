import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { EventSubscriptionAnswer, EventSubscriptionChange } from '../../api/generated/console-api';
import { isEmpty, useChangesOf } from '../../common/concurrent-edit';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { Dialog } from '../../common/dialog';
import { showErrorNotification, showSuccessNotification } from '../../common/notify';
import {
  addSubscription,
  changeSubscription,
  eventKeys,
  readSubscription,
  removeSubscription,
  rotateSecret,
} from './queries';
import { SubscriptionForm } from './subscription-form';
import { SubscriptionSecret } from './subscription-secret';
import {
  subscriptionBodyOf,
  NEW_SUBSCRIPTION,
  subscriptionValuesOf,
  type SubscriptionValues,
} from './subscription-values';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/**
 * Asks for the settings, then shows the secret. Only the mutation holds the secret: mount this dialog anew for every subscription, so that the
 * mutation ends when the dialog closes.
 */
export function AddSubscriptionDialog({ onClose }: Pick<DialogProps, 'onClose'>) {
  const { t } = useTranslation('events');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: (values: SubscriptionValues) => addSubscription(subscriptionBodyOf(values)),
    gcTime: 0,
    // Not awaited: the secret must not wait for the list.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: eventKeys.all }),
  });
  const close = () => {
    onClose();
    const { id } = add.data ?? {};
    if (id !== undefined) void navigate({ to: '/company/events/$id', params: { id } });
  };
  return (
    <Dialog onClose={close} size="lg" title={add.data ? t('secret.title') : t('add.open')}>
      {add.data ? (
        <Stack>
          <SubscriptionSecret secret={add.data.secret} />
          <Group justify="flex-end">
            <Button onClick={close}>{t('secret.done')}</Button>
          </Group>
        </Stack>
      ) : (
        <SubscriptionForm
          initialValues={NEW_SUBSCRIPTION}
          submitText={t('add.submit')}
          error={add.error}
          isPending={add.isPending}
          onSubmit={(values, fail) => add.mutate(values, { onError: fail })}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}

/** Mount this dialog anew for every edit, because it compares with the subscription that it got when it was mounted. */
export function ChangeSubscriptionDialog({
  subscription,
  opened,
  onClose,
}: DialogProps & { subscription: EventSubscriptionAnswer }) {
  const { t } = useTranslation('events');
  const { id } = subscription;
  const queryClient = useQueryClient();
  const initial = subscriptionValuesOf(subscription);
  const changesOf = useChangesOf(subscriptionBodyOf(initial), async () =>
    subscriptionBodyOf(subscriptionValuesOf(await readSubscription(id))),
  );
  const save = useMutation({
    mutationFn: async (values: SubscriptionValues) => {
      const change = await changesOf(subscriptionBodyOf(values));
      if (!isEmpty(change)) await changeSubscription(id, change);
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: eventKeys.all });
      onClose();
      showSuccessNotification(t('change.done'));
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title={t('change.title')}>
      <SubscriptionForm
        initialValues={initial}
        submitText={t('change.submit')}
        error={save.error}
        isPending={save.isPending}
        onSubmit={(values, fail) => save.mutate(values, { onError: fail })}
        onCancel={onClose}
      />
    </Dialog>
  );
}

export function RemoveSubscriptionDialog({
  subscription,
  opened,
  onClose,
}: DialogProps & { subscription: EventSubscriptionAnswer }) {
  const { t } = useTranslation('events');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => removeSubscription(subscription.id),
    onSuccess: async () => {
      await navigate({ to: '/company/events' });
      await queryClient.invalidateQueries({ queryKey: eventKeys.all });
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      title={t('remove.title')}
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

/** A button that, after a question, replaces the secret by `rotateSecret` and shows the new one once. */
export function RotateSecret({ id }: { id: string }) {
  const { t } = useTranslation('events');
  const [isAsking, asking] = useDisclosure(false);
  const rotate = useMutation({ mutationFn: rotateSecret, gcTime: 0, onSuccess: asking.close });
  return (
    <>
      <Button variant="default" onClick={asking.open}>
        {t('rotate.open')}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={t('rotate.title')}
        confirm={t('rotate.confirm')}
        mutation={rotate}
        onConfirm={() => rotate.mutate(id)}
        onClose={asking.close}
      >
        {t('rotate.text')}
      </ConfirmDialog>
      {rotate.data && (
        <Dialog onClose={rotate.reset} size="lg" title={t('secret.title')}>
          <Stack>
            <SubscriptionSecret secret={rotate.data.secret} />
            <Group justify="flex-end">
              <Button onClick={rotate.reset}>{t('secret.done')}</Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  );
}

/** A mutation for the switch of a subscription: it saves a setting at once, and shows a notification when that fails. */
export function useChangeSubscription(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: EventSubscriptionChange) => changeSubscription(id, change),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: eventKeys.all }),
    onError: showErrorNotification,
  });
}
