import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../common/error-message';
import { applyError, focusRefused, required, translatedText } from '../../common/form-errors';
import { showSuccessNotification } from '../../common/notify';
import { PasswordField } from '../../common/password-field';
import { changeOwnPassword } from './queries';

const FIELDS = ['currentPassword', 'newPassword', 'repeated'] as const;

export function PasswordForm() {
  const { t } = useTranslation(['account', 'common']);
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
    mutationFn: changeOwnPassword,
    // The mutation holds the passwords, so the cache drops it as soon as the user leaves the page.
    gcTime: 0,
    onSuccess: () => {
      form.reset();
      showSuccessNotification(t('password.done'));
    },
    onError: (error) => applyError(form, error),
  });
  const labels = {
    currentPassword: t('password.current'),
    newPassword: t('common:password.new'),
    repeated: t('common:password.repeat'),
  };
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {t('password.title')}
      </Title>
      <form
        onSubmit={form.onSubmit(
          ({ currentPassword, newPassword }) => change.mutate({ currentPassword, newPassword }),
          focusRefused,
        )}
        noValidate
      >
        <Stack maw={420}>
          <Text c="dimmed">{t('password.why')}</Text>
          {FIELDS.map((field) => (
            <PasswordField
              key={form.key(field)}
              label={labels[field]}
              required
              autoComplete={field === 'currentPassword' ? 'current-password' : 'new-password'}
              {...form.getInputProps(field)}
            />
          ))}
          {change.error && (
            <ErrorMessage error={change.error} labels={labels} texts={{ FORBIDDEN: t('password.wrong') }} />
          )}
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('common:password.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  );
}
