import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../../common/confirm-dialog';
import { refreshProcessNames } from '../queries';
import { removeProcess } from './queries';

export function RemoveProcess({ pid, name }: { pid: string; name: string }) {
  const { t } = useTranslation('processes');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure(false);
  const remove = useMutation({
    mutationFn: removeProcess,
    onSuccess: async () => {
      await navigate({ to: '/processes' });
      await refreshProcessNames(queryClient);
    },
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={asking.open}>
        {t('overview.remove')}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={t('overview.removeTitle', { name })}
        confirm={t('overview.remove')}
        danger
        mutation={remove}
        onConfirm={() => remove.mutate(pid)}
        onClose={asking.close}
      >
        {t('overview.removeText')}
      </ConfirmDialog>
    </>
  );
}
