import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { Dialog } from '../../common/dialog';
import { Activation } from './activation';
import { rotateActivationKey } from './queries';

/**
 * A button that, after a question, replaces the activation key of an environment and shows the new one once. Agents with the old key are
 * disconnected.
 */
export function RotateKey({ environmentID, name }: { environmentID: string; name: string }) {
  const { t } = useTranslation('environments');
  const [isAsking, asking] = useDisclosure(false);
  const rotate = useMutation({ mutationFn: rotateActivationKey, gcTime: 0, onSuccess: asking.close });
  return (
    <>
      <Button variant="default" onClick={asking.open}>
        {t('rotate.open')}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={t('rotate.title', { name })}
        confirm={t('rotate.open')}
        mutation={rotate}
        onConfirm={() => rotate.mutate(environmentID)}
        onClose={asking.close}
      >
        {t('rotate.text')}
      </ConfirmDialog>
      {rotate.data && (
        <Dialog onClose={rotate.reset} size="lg" title={t('activation.title')}>
          <Stack>
            <Activation environmentID={environmentID} activationKey={rotate.data.activationKey} />
            <Group justify="flex-end">
              <Button onClick={rotate.reset}>{t('activation.done')}</Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  );
}
