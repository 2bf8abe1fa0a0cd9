import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { releaseCallsAfterLogin } from '../api/session-gate';
import { logIn, sessionQuery } from '../api/session';
import { ErrorMessage } from '../common/error-message';
import { emailAddress, focusRefused, required } from '../common/form-errors';
import { PasswordField } from '../common/password-field';

/** With `email`, only this account may log in again: the page behind the dialog shows its data. */
export function LoginForm({ email }: { email?: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: email ?? '', password: '' },
    validate: { email: emailAddress, password: required },
  });
  const login = useMutation({
    mutationFn: logIn,
    onSuccess: async ({ mustChangePassword }) => {
      if (mustChangePassword || email === undefined) await queryClient.invalidateQueries(sessionQuery);
      releaseCallsAfterLogin();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => login.mutate(values), focusRefused)} noValidate>
      <Stack>
        <TextInput
          label={t('login.email')}
          type="email"
          autoComplete="username"
          required
          readOnly={email !== undefined}
          // Even with the value `false` the attribute would draw the focus.
          data-autofocus={email === undefined ? true : undefined}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={t('login.password')}
          autoComplete="current-password"
          required
          data-autofocus={email === undefined ? undefined : true}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {login.error && <ErrorMessage error={login.error} texts={{ INVALID_CREDENTIAL: t('login.wrong') }} />}
        <Button type="submit" loading={login.isPending}>
          {t('login.submit')}
        </Button>
      </Stack>
    </form>
  );
}
