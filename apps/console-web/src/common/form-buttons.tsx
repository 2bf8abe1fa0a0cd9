import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDialogStaysWhile } from './sending-in-dialog';

interface FormButtonsProps {
  /** The label of the button that sends the form. */
  submit: string;
  /** Disables the button that sends the form. */
  disabled?: boolean;
  isPending: boolean;
  onCancel: () => void;
}

/** The buttons of a form in a dialog, which stays open while the form is being sent. */
export function FormButtons({ submit, disabled, isPending, onCancel }: FormButtonsProps) {
  const { t } = useTranslation();
  useDialogStaysWhile(isPending);
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel} disabled={isPending}>
        {t('actions.cancel')}
      </Button>
      <Button type="submit" disabled={disabled} loading={isPending}>
        {submit}
      </Button>
    </Group>
  );
}
