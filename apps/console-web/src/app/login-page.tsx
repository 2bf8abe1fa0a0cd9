import { Button, Divider, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { demoAccountQuery, logInToDemo, sessionQuery } from '../api/session';
import { ErrorMessage } from '../common/error-message';
import { LoginForm } from './login-form';
import { NarrowPage } from './narrow-page';

export function LoginPage() {
  const { t } = useTranslation();
  const demo = useQuery(demoAccountQuery);
  return (
    <NarrowPage title={t('login.title')}>
      <Stack>
        {typeof demo.data === 'string' && <DemoLogin />}
        <LoginForm />
        <Text size="sm" c="dimmed">
          {t('login.forgotten')}
        </Text>
      </Stack>
    </NarrowPage>
  );
}

/** The long text of a button takes a second line on a phone. */
const WRAPPED = { h: 'auto', mih: 36, py: 6, styles: { label: { whiteSpace: 'normal' } } } as const;

/** A button that logs the demo account in; the console offers it only under `npm start`. */
function DemoLogin() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const login = useMutation({
    mutationFn: logInToDemo,
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
  return (
    <>
      <Button variant="default" {...WRAPPED} onClick={() => login.mutate()} loading={login.isPending}>
        {t('login.demo')}
      </Button>
      {login.error && <ErrorMessage error={login.error} />}
      <Divider label={t('login.other')} />
    </>
  );
}
