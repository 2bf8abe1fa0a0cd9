import { Button, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ModalWindow } from '../common/modal-window';
import { LoginForm } from './login-form';

/** Shows this dialog above every other dialog and above the notifications. */
const Z_INDEX = 1_000;

/** A dialog over the page, so that typed text is kept; the held calls continue after the login. */
export function SessionDialog({ email }: { email: string }) {
  const { t } = useTranslation();
  return (
    <ModalWindow
      opened
      onClose={() => undefined}
      zIndex={Z_INDEX}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={t('login.expired')}
    >
      <Stack>
        <Text size="sm">{t('login.expiredWhy')}</Text>
        <LoginForm email={email} />
        <Button variant="subtle" onClick={() => window.location.reload()}>
          {t('login.somebodyElse')}
        </Button>
      </Stack>
    </ModalWindow>
  );
}
