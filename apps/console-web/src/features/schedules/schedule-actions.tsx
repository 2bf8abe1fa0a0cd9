import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ScheduleAnswer } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { Dialog } from '../../common/dialog';
import { showErrorNotification } from '../../common/notify';
import { SavingSwitch } from '../../common/saving-switch';
import { removeSchedule, scheduleKeys, switchSchedule } from './queries';
import { ScheduleForm } from './schedule-form';

interface ActiveSwitchProps {
  schedule: ScheduleAnswer;
  /** The visible label; absent in a table, where the heading of the column says what is switched. */
  label?: string;
}

export function ActiveSwitch({ schedule: { id, name, active }, label }: ActiveSwitchProps) {
  const { t } = useTranslation('schedules');
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: switchSchedule,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: scheduleKeys.all }),
    onError: showErrorNotification,
  });
  return (
    <SavingSwitch
      label={label}
      aria-label={`${t('active')}: ${name}`}
      checked={active}
      isSaving={change.isPending}
      onSwitch={(on) => change.mutate({ id, active: on })}
    />
  );
}

interface FormDialogProps {
  /** The schedule to change; absent to create one. */
  schedule?: ScheduleAnswer;
  /** The id of the process that a new schedule starts, if it is known. */
  process?: string;
  onClose: () => void;
}

/** The dialog that creates or changes a schedule. */
export function ScheduleFormDialog(props: FormDialogProps) {
  const { t } = useTranslation('schedules');
  return (
    <Dialog opened onClose={props.onClose} size="lg" title={t(props.schedule ? 'form.edit' : 'form.open')}>
      <ScheduleForm {...props} />
    </Dialog>
  );
}

interface RemoveProps {
  schedule: ScheduleAnswer;
  /** Awaited before the lists are read again, for a page that must be left first. */
  onRemoved?: () => Promise<void>;
  onClose: () => void;
}

export function RemoveScheduleDialog({ schedule: { id, name }, onRemoved, onClose }: RemoveProps) {
  const { t } = useTranslation('schedules');
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: removeSchedule,
    onSuccess: async () => {
      await onRemoved?.();
      await queryClient.invalidateQueries({ queryKey: scheduleKeys.all });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={t('remove.title', { name })}
      confirm={t('remove.open')}
      danger
      mutation={remove}
      onConfirm={() => remove.mutate(id)}
      onClose={onClose}
    >
      {t('remove.text')}
    </ConfirmDialog>
  );
}
