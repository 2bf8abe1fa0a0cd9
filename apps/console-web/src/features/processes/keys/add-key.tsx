import { Button, Group, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeyInput } from '../../../api/generated/console-api';
import { ErrorMessage } from '../../../common/error-message';
import { FormButtons } from '../../../common/form-buttons';
import { applyError, completeDate, focusRefused, translatedText } from '../../../common/form-errors';
import { SecretOnce } from '../../../common/secret-once';
import { addKey, keysQueryKey } from './queries';
import { StartSnippets } from './start-snippets';

/** Asks for the Identifier and expiry of a new process key, then shows the key once, with example programs. Nothing else on the page holds the key. */
export function AddKey({ pid, onClose }: { pid: string; onClose: () => void }) {
  const { t } = useTranslation(['processes', 'common']);
  const queryClient = useQueryClient();
  const expiry = useRef<HTMLInputElement>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { identifier: '', expiresAt: '' },
    validate: {
      identifier: (text) => (text.trim() === '' ? translatedText('processes:keys.identifierMissing') : null),
      expiresAt: () => completeDate(expiry.current),
    },
  });
  const add = useMutation({
    mutationFn: (body: KeyInput) => addKey(pid, body),
    gcTime: 0,
    // Not awaited, so that the page shows the new key before it has read the list of keys again.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: keysQueryKey(pid) }),
    onError: (error) => applyError(form, error),
  });
  if (add.data) {
    return (
      <Stack>
        <SecretOnce value={add.data.value} label={t('keys.value')} />
        <Title order={3} size="h5">
          {t('snippets.title')}
        </Title>
        <StartSnippets processKey={add.data.value} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('keys.copied')}</Button>
        </Group>
      </Stack>
    );
  }
  const submit = form.onSubmit(
    ({ identifier, expiresAt }) =>
      add.mutate({ identifier, expiresAt: expiresAt === '' ? null : new Date(expiresAt).toISOString() }),
    focusRefused,
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('keys.identifier')}
          description={t('keys.identifierWhy')}
          required
          data-autofocus
          maxLength={120}
          key={form.key('identifier')}
          {...form.getInputProps('identifier')}
        />
        <TextInput
          ref={expiry}
          type="datetime-local"
          label={t('keys.expires')}
          description={t('keys.expiresWhy')}
          key={form.key('expiresAt')}
          {...form.getInputProps('expiresAt')}
        />
        {add.error && (
          <ErrorMessage error={add.error} labels={{ identifier: t('keys.identifier'), expiresAt: t('keys.expires') }} />
        )}
        <FormButtons submit={t('keys.submit')} isPending={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
