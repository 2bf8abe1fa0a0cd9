import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AccountAnswer } from '../../api/generated/console-api';
import { DateTime } from '../../common/date-time';
import { Dialog } from '../../common/dialog';
import { ErrorMessage } from '../../common/error-message';
import { SecretOnce } from '../../common/secret-once';
import { useDialogStaysWhile } from '../../common/sending-in-dialog';
import { resetPassword } from './queries';

/** Replaces the password of an account by a one-time password, which the dialog shows once, and ends all sessions of the account. */
export function ResetPasswordDialog({ person, onClose }: { person: AccountAnswer; onClose: () => void }) {
  const { t } = useTranslation('company');
  return (
    <Dialog opened onClose={onClose} title={t('people.resetTitle', { name: person.name })}>
      <ResetPassword accountID={person.id} onClose={onClose} />
    </Dialog>
  );
}

function ResetPassword({ accountID, onClose }: { accountID: string; onClose: () => void }) {
  const { t } = useTranslation(['company', 'common']);
  const reset = useMutation({ mutationFn: resetPassword, gcTime: 0 });
  useDialogStaysWhile(reset.isPending);
  if (reset.data) {
    return (
      <Stack>
        <SecretOnce value={reset.data.password} label={t('people.oneTime')} />
        <Text size="sm">
          {t('people.validUntil')} <DateTime value={reset.data.expiresAt} />
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('common:actions.close')}</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text>{t('people.resetText')}</Text>
      {reset.error && <ErrorMessage error={reset.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} disabled={reset.isPending} data-autofocus>
          {t('common:actions.cancel')}
        </Button>
        <Button color="red" loading={reset.isPending} onClick={() => reset.mutate(accountID)}>
          {t('people.reset')}
        </Button>
      </Group>
    </Stack>
  );
}
