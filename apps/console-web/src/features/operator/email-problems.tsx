import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EmailProblem } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { Dialog } from '../../common/dialog';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, emailAddress, focusRefused } from '../../common/form-errors';
import { showSuccessNotification } from '../../common/notify';
import { useRowsShown } from '../../common/rows-shown';
import { changeEmail, emailProblemsQuery, operatorKeys } from './queries';

/** The accounts whose e-mail address a migration could not normalize: it is invalid, or another account has the normalized address. */
export function EmailProblems() {
  const { t } = useTranslation('operator');
  const query = useQuery(emailProblemsQuery);
  const shown = useRowsShown(query, query.data ?? []);
  const [changing, setChanging] = useState<EmailProblem>();
  const columns: Column<EmailProblem>[] = [
    { key: 'email', title: t('emails.email'), render: ({ email }) => <Wrapped>{email}</Wrapped> },
    {
      key: 'problem',
      title: t('emails.problem'),
      render: ({ problem }) => <span>{t(`emails.problems.${problem}`)}</span>,
    },
    { key: 'company', title: t('emails.company'), render: ({ companyID }) => <Wrapped>{companyID ?? '–'}</Wrapped> },
    {
      key: 'change',
      title: t('emails.change'),
      render: (one) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`${t('emails.change')}: ${one.email}`}
          onClick={() => setChanging(one)}
        >
          {t('emails.change')}
        </Button>
      ),
    },
  ];
  return (
    <section>
      <Title order={2} size="h3">
        {t('emails.title')}
      </Title>
      <Text c="dimmed" mb="xs">
        {t('emails.what')}
      </Text>
      <DataTable
        label={t('emails.title')}
        query={shown.query}
        rows={shown.rows}
        rowKey={({ accountID }) => accountID}
        columns={columns}
        empty={<EmptyState title={t('emails.empty')} />}
      />
      {changing && <ChangeEmail account={changing} onClose={() => setChanging(undefined)} />}
    </section>
  );
}

function ChangeEmail({ account: { accountID, email }, onClose }: { account: EmailProblem; onClose: () => void }) {
  const { t } = useTranslation('operator');
  const queryClient = useQueryClient();
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' }, validate: { email: emailAddress } });
  const change = useMutation({
    mutationFn: changeEmail,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: operatorKeys.emails });
      showSuccessNotification(t('emails.done'));
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  return (
    <Dialog opened onClose={onClose} title={t('emails.changeOf', { email })}>
      <form onSubmit={form.onSubmit((wanted) => change.mutate({ accountID, ...wanted }), focusRefused)} noValidate>
        <Stack>
          <TextInput
            type="email"
            label={t('emails.new')}
            required
            data-autofocus
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          {change.error && <ErrorMessage error={change.error} labels={{ email: t('emails.new') }} />}
          <FormButtons submit={t('emails.save')} isPending={change.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

function Wrapped({ children }: { children: string }) {
  return <span style={{ overflowWrap: 'anywhere' }}>{children}</span>;
}
