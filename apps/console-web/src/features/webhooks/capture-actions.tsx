import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { ErrorMessage } from '../../common/error-message';
import { hasPermission } from '../processes/process-access';
import { processQuery } from '../processes/queries';
import { debugCapture, removeCapture, replayCapture, webhookKeys } from './queries';

type DialogState = { isOpen: boolean; open: () => void; close: () => void };

/** The buttons that run the flow with a capture, in debug mode or in production as if the caller had called again, and that delete the capture. */
export function CaptureActions({ cid, origin }: { cid: string; origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const process = useQuery(processQuery(origin.processID));
  const [isReplaying, replaying] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const debug = useMutation({ mutationFn: () => debugCapture(cid), gcTime: 0 });
  const replay = useMutation({ mutationFn: () => replayCapture(cid), gcTime: 0, onSuccess: replaying.close });
  const isPublished = process.data !== undefined && process.data.currentVersion > 0;
  const mayReplay = process.data !== undefined && hasPermission(process.data, 'execute');
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button loading={debug.isPending} onClick={() => debug.mutate()}>
          {t('run.debug')}
        </Button>
        {mayReplay && (
          <Button variant="default" disabled={!isPublished} onClick={replaying.open}>
            {t('run.replay')}
          </Button>
        )}
        <Button variant="outline" color="red" onClick={removing.open}>
          {t('run.remove')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t('run.debugWhy')} {mayReplay && !isPublished && t('run.unpublished')}
      </Text>
      {debug.error && <ErrorMessage error={debug.error} />}
      <div role="status">
        {debug.data && <Started iid={debug.data.instanceID} text={t('run.debugStarted')} />}
        {replay.data && <Started iid={replay.data.instanceID} text={t('run.replayStarted')} />}
      </div>
      <ConfirmDialog
        opened={isReplaying}
        title={t('run.replayTitle')}
        confirm={t('run.replay')}
        mutation={replay}
        onConfirm={() => replay.mutate()}
        onClose={replaying.close}
      >
        {t('run.replayText')}
      </ConfirmDialog>
      <RemoveCapture cid={cid} oid={origin.id} dialog={{ isOpen: isRemoving, ...removing }} />
    </Stack>
  );
}

function Started({ iid, text }: { iid: string; text: string }) {
  const { t } = useTranslation('webhooks');
  return (
    <Alert color="blue" mb="xs">
      {text}{' '}
      <Anchor size="sm" underline="always" renderRoot={(props) => <Link to="/runs/$iid" params={{ iid }} {...props} />}>
        {t('run.open')}
      </Anchor>
    </Alert>
  );
}

function RemoveCapture({ cid, oid, dialog }: { cid: string; oid: string; dialog: DialogState }) {
  const { t } = useTranslation('webhooks');
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeCapture(cid),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: webhookKeys.captures(oid) });
      dialog.close();
    },
  });
  return (
    <ConfirmDialog
      opened={dialog.isOpen}
      title={t('run.removeTitle')}
      confirm={t('run.remove')}
      danger
      mutation={remove}
      onConfirm={() => remove.mutate()}
      onClose={dialog.close}
    >
      {t('run.removeText')}
    </ConfirmDialog>
  );
}
