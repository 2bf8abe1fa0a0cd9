import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunAnswerItem } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { showSuccessNotification } from '../../common/notify';
import { controlRun, runKeys, type ControlAction } from './queries';
import { isActive, shownStatus } from './run-status';

const ICONS = { stop: IconPlayerStop, pause: IconPlayerPause, resume: IconPlayerPlay };

type ControlledRun = Pick<RunAnswerItem, 'instanceID' | 'status' | 'paused'>;

/** A pause takes effect between two steps, so only a run that has begun can be paused. */
function actionsFor(run: ControlledRun): ControlAction[] {
  if (!isActive(run.status) || run.status === 'unknown') return [];
  const status = shownStatus(run);
  if (status === 'paused') return ['resume', 'stop'];
  return status === 'running' ? ['pause', 'stop'] : ['stop'];
}

/** The buttons for the actions that the status of the run allows, each with a question first. */
export function RunControls({ run, size }: { run: ControlledRun; size?: ButtonProps['size'] }) {
  const { t } = useTranslation('runs');
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<ControlAction>();
  const control = useMutation({
    mutationFn: controlRun,
    onSuccess: async (_done, { action }) => {
      showSuccessNotification(t(`control.${action}.done`));
      // The dialog closes after the buttons have changed, because it gives the focus back to one that stays.
      await queryClient.invalidateQueries({ queryKey: runKeys.all });
      setAsked(undefined);
    },
  });
  return (
    <>
      {actionsFor(run).map((action) => {
        const Icon = ICONS[action];
        return (
          <Button
            // One button pauses and resumes, so that it keeps the focus when its action changes.
            key={action === 'stop' ? 'stop' : 'pause'}
            variant="default"
            size={size}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setAsked(action)}
          >
            {t(`control.${action}.open`)}
          </Button>
        );
      })}
      {asked && (
        <ConfirmDialog
          opened
          title={t(`control.${asked}.title`)}
          confirm={t(`control.${asked}.open`)}
          danger={asked === 'stop'}
          mutation={control}
          onConfirm={() => control.mutate({ iid: run.instanceID, action: asked })}
          onClose={() => setAsked(undefined)}
        >
          {t(`control.${asked}.text`)}
        </ConfirmDialog>
      )}
    </>
  );
}
