import { Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { replaceOneTimePassword, logOut, sessionQuery } from '../api/session';
import { ErrorMessage } from '../common/error-message';
import { applyError, focusRefused, required, translatedText } from '../common/form-errors';
import { PasswordField } from '../common/password-field';
import { NarrowPage } from './narrow-page';

/** After a login with a one-time password, the user can only change the password or log out. */
export function ChangePasswordPage() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries(sessionQuery);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { currentPassword: '', newPassword: '', repeated: '' },
    validate: {
      currentPassword: required,
      newPassword: required,
      repeated: (value, { newPassword }) => (value === newPassword ? null : translatedText('common:password.differs')),
    },
  });
  const change = useMutation({
    mutationFn: replaceOneTimePassword,
    onSuccess: refresh,
    onError: (error) => applyError(form, error),
  });
  const leave = useMutation({ mutationFn: logOut, onSuccess: refresh });
  const labels = { currentPassword: t('password.oneTime'), newPassword: t('password.new') };
  return (
    <NarrowPage title={t('password.title')}>
      <form
        onSubmit={form.onSubmit(
          ({ currentPassword, newPassword }) => change.mutate({ currentPassword, newPassword }),
          focusRefused,
        )}
        noValidate
      >
        <Stack>
          <Text>{t('password.why')}</Text>
          <PasswordField
            label={labels.currentPassword}
            autoComplete="current-password"
            required
            key={form.key('currentPassword')}
            {...form.getInputProps('currentPassword')}
          />
          <PasswordField
            label={labels.newPassword}
            autoComplete="new-password"
            required
            key={form.key('newPassword')}
            {...form.getInputProps('newPassword')}
          />
          <PasswordField
            label={t('password.repeat')}
            autoComplete="new-password"
            required
            key={form.key('repeated')}
            {...form.getInputProps('repeated')}
          />
          {(change.error ?? leave.error) && <ErrorMessage error={change.error ?? leave.error} labels={labels} />}
          <Button type="submit" loading={change.isPending}>
            {t('password.submit')}
          </Button>
          <Button variant="subtle" onClick={() => leave.mutate()}>
            {t('shell.logOut')}
          </Button>
        </Stack>
      </form>
    </NarrowPage>
  );
}
