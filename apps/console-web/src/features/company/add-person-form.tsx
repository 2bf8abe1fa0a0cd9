import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AccountInput } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, emailAddress, focusRefused, required } from '../../common/form-errors';
import { showSuccessNotification } from '../../common/notify';
import { PasswordField } from '../../common/password-field';
import { addPerson, peopleKeys } from './queries';

const NEW_PERSON: Required<AccountInput> = { name: '', email: '', password: '', role: 'member' };

export function AddPersonForm({ companyID, onClose }: { companyID: string; onClose: () => void }) {
  const { t } = useTranslation(['company', 'common']);
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: NEW_PERSON,
    validate: { name: required, email: emailAddress, password: required },
  });
  const add = useMutation({
    mutationFn: (person: AccountInput) => addPerson(companyID, person),
    // The mutation holds the password, so the cache drops it as soon as the dialog is closed.
    gcTime: 0,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: peopleKeys.all });
      showSuccessNotification(t('people.added'));
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  const labels = {
    name: t('people.name'),
    email: t('people.email'),
    password: t('people.password'),
    role: t('people.role'),
  };
  return (
    <form onSubmit={form.onSubmit((person) => add.mutate(person), focusRefused)} noValidate autoComplete="off">
      <Stack>
        <TextInput
          label={t('people.name')}
          required
          data-autofocus
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('people.email')}
          type="email"
          required
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={t('people.password')}
          description={t('people.passwordWhy')}
          required
          autoComplete="new-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <NativeSelect
          label={t('people.role')}
          data={[
            { value: 'member', label: t('roles.member') },
            { value: 'administrator', label: t('roles.administrator') },
          ]}
          key={form.key('role')}
          {...form.getInputProps('role')}
        />
        {add.error && <ErrorMessage error={add.error} labels={labels} />}
        <FormButtons submit={t('people.submit')} isPending={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
