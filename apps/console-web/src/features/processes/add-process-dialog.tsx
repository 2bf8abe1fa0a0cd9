import { NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useChoiceError } from '../../common/choice-error';
import { Dialog } from '../../common/dialog';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, translatedText } from '../../common/form-errors';
import { addProcess, environmentChoicesQuery, processQueryKeys } from './queries';

export function AddProcessDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['processes', 'common']);
  return (
    <Dialog onClose={onClose} title={t('add.title')}>
      <AddProcessForm onClose={onClose} />
    </Dialog>
  );
}

function AddProcessForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['processes', 'common']);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const environments = useQuery(environmentChoicesQuery);
  const unread = useChoiceError(environments);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { processName: '', description: '', environmentID: '' },
    validate: {
      processName: (name) => (name.trim() === '' ? translatedText('processes:add.nameMissing') : null),
    },
  });
  const add = useMutation({
    mutationFn: addProcess,
    onSuccess: async ({ processID }) => {
      await queryClient.invalidateQueries({ queryKey: processQueryKeys.all });
      onClose();
      await navigate({ to: '/processes/$pid', params: { pid: processID } });
    },
  });
  const submit = form.onSubmit(
    ({ environmentID, ...values }) =>
      add.mutate({ ...values, environmentID: environmentID || null }, { onError: (error) => applyError(form, error) }),
    focusRefused,
  );
  const labels = {
    processName: t('columns.name'),
    description: t('description'),
    environmentID: t('columns.environment'),
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('columns.name')}
          required
          data-autofocus
          maxLength={120}
          key={form.key('processName')}
          {...form.getInputProps('processName')}
        />
        <Textarea
          label={t('description')}
          autosize
          minRows={2}
          maxLength={2_000}
          key={form.key('description')}
          {...form.getInputProps('description')}
        />
        <NativeSelect
          label={t('columns.environment')}
          description={t('add.environmentWhy')}
          data={[
            { value: '', label: t('add.noEnvironment') },
            ...(environments.data ?? []).map(({ environmentID, name }) => ({ value: environmentID, label: name })),
          ]}
          key={form.key('environmentID')}
          {...form.getInputProps('environmentID')}
          error={form.errors['environmentID'] ?? unread}
        />
        {add.error && <ErrorMessage error={add.error} labels={labels} />}
        <FormButtons submit={t('add.submit')} isPending={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
