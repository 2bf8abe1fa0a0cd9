import { Alert, Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDialogStaysWhile } from '../../common/sending-in-dialog';

interface ConfirmedSubmitProps {
  /** The label of the button that sends the form. */
  submit: string;
  /**
   * The question to answer before the form is sent, with what the change does; undefined until the user has pressed the button, and when
   * there is nothing to ask.
   */
  question: { title: string; text: string } | undefined;
  disabled?: boolean;
  isPending: boolean;
  /** Called when the user answers no: the form is edited further. */
  onBack: () => void;
}

/**
 * The submit button of a form or, with `question`, the question whether the form is really to be sent, with a button that goes back and the
 * submit button.
 */
export function ConfirmedSubmit({ submit, question, disabled, isPending, onBack }: ConfirmedSubmitProps) {
  const { t } = useTranslation();
  useDialogStaysWhile(isPending);
  if (!question) {
    return (
      <Button type="submit" disabled={disabled} loading={isPending}>
        {submit}
      </Button>
    );
  }
  return (
    <Alert color="red" role="alert" title={question.title}>
      <Text size="sm">{question.text}</Text>
      <Group mt="sm" justify="flex-end">
        <Button variant="default" onClick={onBack} disabled={isPending} autoFocus>
          {t('actions.cancel')}
        </Button>
        <Button type="submit" color="red" loading={isPending}>
          {submit}
        </Button>
      </Group>
    </Alert>
  );
}
