import { Button, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { VaultKeyAnswer } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { Dialog } from '../../common/dialog';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, required, translatedText } from '../../common/form-errors';
import { showSuccessNotification } from '../../common/notify';
import { PasswordField } from '../../common/password-field';
import { useRowsShown } from '../../common/rows-shown';
import { putSecret, removeSecret, vaultQuery, vaultQueryKeys } from './queries';

/** Stands for the name of a secret that is being added and has no name yet. */
const NEW_SECRET = '';
const SECRET_NAME = /^[A-Za-z0-9_.-]{1,80}$/;

/** The secrets that flows read by `{vault.KEY}`. Their values are written and never read. */
export function Vault() {
  const { t } = useTranslation(['account', 'common']);
  /** The name of the secret that the open dialog writes, or NEW_SECRET; undefined while the dialog is closed. */
  const [writing, setWriting] = useState<string>();
  const [removing, setRemoving] = useState<string>();
  const query = useQuery(vaultQuery);
  const shown = useRowsShown(query, query.data ?? []);
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setWriting(NEW_SECRET)}>
      {t('vault.add')}
    </Button>
  );
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3">
          {t('vault.title')}
        </Title>
        {add}
      </Group>
      <Text c="dimmed" mb="sm">
        {t('vault.what')}
      </Text>
      <DataTable
        label={t('vault.title')}
        query={shown.query}
        rows={shown.rows}
        rowKey={({ key }) => key}
        columns={useColumns({ write: setWriting, remove: setRemoving })}
        empty={<EmptyState title={t('vault.empty')} />}
      />
      {writing !== undefined && (
        <Dialog
          onClose={() => setWriting(undefined)}
          title={writing === NEW_SECRET ? t('vault.add') : t('vault.replace', { key: writing })}
        >
          <SecretForm
            name={writing}
            taken={(query.data ?? []).map(({ key }) => key)}
            onClose={() => setWriting(undefined)}
          />
        </Dialog>
      )}
      {removing !== undefined && <Remove name={removing} onClose={() => setRemoving(undefined)} />}
    </section>
  );
}

function useColumns(actions: {
  write: (key: string) => void;
  remove: (key: string) => void;
}): Column<VaultKeyAnswer>[] {
  const { t } = useTranslation('account');
  return [
    { key: 'key', title: t('vault.key'), render: ({ key }) => <Code>{`{vault.${key}}`}</Code> },
    { key: 'updated', title: t('vault.updated'), render: ({ updatedAt }) => <DateTime value={updatedAt} /> },
    {
      key: 'actions',
      title: t('vault.action'),
      render: ({ key }) => (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('vault.write')}: ${key}`}
            onClick={() => actions.write(key)}
          >
            {t('vault.write')}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('vault.remove')}: ${key}`}
            onClick={() => actions.remove(key)}
          >
            {t('vault.remove')}
          </Button>
        </Group>
      ),
    },
  ];
}

interface SecretFormProps {
  /** The name of the secret whose value is replaced, or NEW_SECRET. */
  name: string;
  /** The names in the vault. A new secret cannot have one of them, because it would replace the value of the existing secret. */
  taken: string[];
  onClose: () => void;
}

function SecretForm({ name, taken, onClose }: SecretFormProps) {
  const { t } = useTranslation(['account', 'common']);
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { key: name, value: '' },
    validate: {
      key: (key) => {
        if (name !== NEW_SECRET) return null;
        if (!SECRET_NAME.test(key)) return translatedText('account:vault.keyRule');
        return taken.includes(key) ? translatedText('account:vault.taken') : null;
      },
      value: required,
    },
  });
  const put = useMutation({
    mutationFn: putSecret,
    gcTime: 0,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: vaultQueryKeys.all });
      showSuccessNotification(t('vault.done'));
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => put.mutate(values), focusRefused)} noValidate autoComplete="off">
      <Stack>
        {name === NEW_SECRET && (
          <TextInput
            label={t('vault.key')}
            description={t('vault.keyRule')}
            required
            data-autofocus
            key={form.key('key')}
            {...form.getInputProps('key')}
          />
        )}
        <PasswordField
          label={t('vault.value')}
          required
          autoComplete="off"
          key={form.key('value')}
          {...form.getInputProps('value')}
        />
        {put.error && <ErrorMessage error={put.error} labels={{ key: t('vault.key'), value: t('vault.value') }} />}
        <FormButtons submit={t('vault.submit')} isPending={put.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Remove({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation('account');
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: removeSecret,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: vaultQueryKeys.all });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={t('vault.removeTitle', { key: name })}
      confirm={t('vault.remove')}
      danger
      mutation={remove}
      onConfirm={() => remove.mutate(name)}
      onClose={onClose}
    >
      {t('vault.removeText')}
    </ConfirmDialog>
  );
}
