import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { environmentChoicesQuery } from '../processes/queries';
import { environmentKeys, removeEnvironment } from './queries';

export function RemoveEnvironment({ environmentID, name }: { environmentID: string; name: string }) {
  const { t } = useTranslation('environments');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure(false);
  const remove = useMutation({
    mutationFn: removeEnvironment,
    onSuccess: async () => {
      await navigate({ to: '/environments' });
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: environmentKeys.list }),
        queryClient.invalidateQueries({ queryKey: environmentChoicesQuery.queryKey }),
      ]);
    },
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={asking.open}>
        {t('remove.open')}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={t('remove.title', { name })}
        confirm={t('remove.open')}
        danger
        mutation={remove}
        onConfirm={() => remove.mutate(environmentID)}
        onClose={asking.close}
      >
        {t('remove.text')}
      </ConfirmDialog>
    </>
  );
}
