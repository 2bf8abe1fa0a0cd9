import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../common/dialog';
import { Activation } from './activation';
import { EnvironmentForm, NEW_ENVIRONMENT } from './environment-form';
import { addEnvironment, environmentKeys } from './queries';

/**
 * Asks for the settings, then shows the activation key. Only the mutation holds the key: mount this dialog anew for every environment, so that the
 * mutation ends when the dialog closes.
 */
export function AddEnvironmentDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('environments');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: addEnvironment,
    gcTime: 0,
    // Not awaited: the secret must not wait for the list.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: environmentKeys.all }),
  });
  const close = () => {
    onClose();
    const { environmentID } = add.data ?? {};
    if (environmentID !== undefined) void navigate({ to: '/environments/$id', params: { id: environmentID } });
  };
  return (
    <Dialog onClose={close} size="lg" title={add.data ? t('activation.title') : t('add.title')}>
      {add.data ? (
        <Stack>
          <Activation environmentID={add.data.environmentID} activationKey={add.data.activationKey} />
          <Group justify="flex-end">
            <Button onClick={close}>{t('activation.done')}</Button>
          </Group>
        </Stack>
      ) : (
        <EnvironmentForm
          initialValues={NEW_ENVIRONMENT}
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
