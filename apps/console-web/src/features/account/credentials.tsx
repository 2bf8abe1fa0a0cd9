import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CredentialAnswer } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { Dialog } from '../../common/dialog';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, completeDate, focusRefused, translatedText } from '../../common/form-errors';
import { SecretOnce } from '../../common/secret-once';
import { StatusBadge } from '../../common/status-badge';
import { addCredential, credentialQueryKeys, credentialsQuery, revokeCredential } from './queries';

/** The credentials with which the account's systems call the gateway. */
export function Credentials() {
  const { t } = useTranslation(['account', 'common']);
  const [isAdding, adding] = useDisclosure(false);
  const [revoking, setRevoking] = useState<CredentialAnswer>();
  const query = useInfiniteQuery(credentialsQuery);
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
      {t('credentials.add')}
    </Button>
  );
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3">
          {t('credentials.title')}
        </Title>
        {add}
      </Group>
      <Text c="dimmed" mb="sm">
        {t('credentials.what')}
      </Text>
      <DataTable
        label={t('credentials.title')}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        columns={useColumns(setRevoking)}
        empty={<EmptyState title={t('credentials.empty')} />}
      />
      <Dialog opened={isAdding} onClose={adding.close} title={t('credentials.add')}>
        <AddCredential onClose={adding.close} />
      </Dialog>
      {revoking && <Revoke credential={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  );
}

function useColumns(revoke: (credential: CredentialAnswer) => void): Column<CredentialAnswer>[] {
  const { t } = useTranslation('account');
  return [
    { key: 'label', title: t('credentials.label'), render: ({ label }) => <Text fw={500}>{label}</Text> },
    {
      key: 'state',
      title: t('credentials.state'),
      render: (credential) => {
        const state = stateOf(credential);
        return <StatusBadge look={state === 'valid' ? 'good' : 'bad'}>{t(`credentials.states.${state}`)}</StatusBadge>;
      },
    },
    { key: 'created', title: t('credentials.created'), render: ({ createdAt }) => <DateTime value={createdAt} /> },
    {
      key: 'expires',
      title: t('credentials.expires'),
      render: ({ expiresAt }) =>
        expiresAt === null ? <span>{t('credentials.never')}</span> : <DateTime value={expiresAt} />,
    },
    {
      key: 'revoke',
      title: t('credentials.action'),
      render: (credential) =>
        stateOf(credential) === 'valid' && (
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('credentials.revoke')}: ${credential.label}`}
            onClick={() => revoke(credential)}
          >
            {t('credentials.revoke')}
          </Button>
        ),
    },
  ];
}

function stateOf({ revokedAt, expiresAt }: CredentialAnswer): 'valid' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}

function AddCredential({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['account', 'common']);
  const queryClient = useQueryClient();
  const expiry = useRef<HTMLInputElement>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { label: '', expiresAt: '' },
    validate: {
      label: (label) => (label.trim() === '' ? translatedText('account:credentials.labelMissing') : null),
      expiresAt: () => completeDate(expiry.current),
    },
  });
  const add = useMutation({
    mutationFn: addCredential,
    gcTime: 0,
    // Not awaited: the secret must not wait for the list.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: credentialQueryKeys.all }),
    onError: (error) => applyError(form, error),
  });
  if (add.data) {
    return (
      <Stack>
        <SecretOnce value={add.data.value} label={t('credentials.value')} />
        {/* Not a link: it would leave the page, and the credential is shown once. */}
        <Text size="sm">{t('credentials.next')}</Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('common:actions.close')}</Button>
        </Group>
      </Stack>
    );
  }
  const labels = { label: t('credentials.label'), expiresAt: t('credentials.expires') };
  const submit = form.onSubmit(
    ({ label, expiresAt }) =>
      add.mutate({ label, expiresAt: expiresAt === '' ? null : new Date(expiresAt).toISOString() }),
    focusRefused,
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('credentials.label')}
          description={t('credentials.labelWhy')}
          required
          data-autofocus
          key={form.key('label')}
          {...form.getInputProps('label')}
        />
        <TextInput
          ref={expiry}
          type="datetime-local"
          label={t('credentials.expires')}
          description={t('credentials.expiresWhy')}
          key={form.key('expiresAt')}
          {...form.getInputProps('expiresAt')}
        />
        {add.error && <ErrorMessage error={add.error} labels={labels} />}
        <FormButtons submit={t('credentials.submit')} isPending={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Revoke({ credential, onClose }: { credential: CredentialAnswer; onClose: () => void }) {
  const { t } = useTranslation('account');
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeCredential,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: credentialQueryKeys.all });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={t('credentials.revokeTitle', { label: credential.label })}
      confirm={t('credentials.revoke')}
      danger
      mutation={revoke}
      onConfirm={() => revoke.mutate(credential.id)}
      onClose={onClose}
    >
      {t('credentials.revokeText')}
    </ConfirmDialog>
  );
}
