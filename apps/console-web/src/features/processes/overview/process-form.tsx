import { NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer, ProcessChange } from '../../../api/generated/console-api';
import { useChoiceError } from '../../../common/choice-error';
import { isEmpty, useChangesOf } from '../../../common/concurrent-edit';
import { Dialog } from '../../../common/dialog';
import { ErrorMessage } from '../../../common/error-message';
import { FormButtons } from '../../../common/form-buttons';
import { applyError, focusRefused, translatedText } from '../../../common/form-errors';
import { showSuccessNotification } from '../../../common/notify';
import { environmentChoicesQuery, readProcess } from '../queries';
import { CURRENCY_SYMBOL } from '../shown-value';
import { changeProcess } from './queries';
import { useProcessRefresh } from './use-process-change';

interface ProcessFormProps {
  process: ProcessAnswer;
  onClose: () => void;
}

export function ProcessFormDialog({ opened, ...props }: ProcessFormProps & { opened: boolean }) {
  const { t } = useTranslation(['processes', 'common']);
  return (
    <Dialog opened={opened} onClose={props.onClose} title={t('overview.edit')}>
      <ProcessForm {...props} />
    </Dialog>
  );
}

function valuesOf({ processName, description, environmentID, avgHumanTime, avgOperatorCost }: ProcessAnswer) {
  return { processName, description, environmentID: environmentID ?? '', avgHumanTime, avgOperatorCost };
}

type FormValues = ReturnType<typeof valuesOf>;

function bodyOf({ environmentID, ...values }: Partial<FormValues>): ProcessChange {
  return { ...values, ...(environmentID !== undefined && { environmentID: environmentID || null }) };
}

function useSave(process: ProcessAnswer) {
  const { processID } = process;
  const changesOf = useChangesOf(valuesOf(process), async () => valuesOf(await readProcess(processID)));
  const refresh = useProcessRefresh(processID);
  return useMutation({
    mutationFn: async (values: FormValues) => {
      const change = bodyOf(await changesOf(values));
      if (!isEmpty(change)) await changeProcess(processID, change);
    },
    onSuccess: refresh,
  });
}

function ProcessForm({ process, onClose }: ProcessFormProps) {
  const { t } = useTranslation(['processes', 'common']);
  const save = useSave(process);
  const form = useForm({
    mode: 'controlled',
    initialValues: valuesOf(process),
    validate: {
      processName: (name) => (name.trim() === '' ? translatedText('processes:add.nameMissing') : null),
      avgHumanTime: (time) =>
        /^\d{2,3}:[0-5]\d:[0-5]\d$/.test(time) ? null : translatedText('processes:overview.humanTimeHow'),
    },
  });
  const labels = {
    processName: t('columns.name'),
    description: t('description'),
    environmentID: t('columns.environment'),
    avgHumanTime: t('overview.humanTime'),
    avgOperatorCost: t('overview.cost'),
  };
  const submit = form.onSubmit(
    ({ avgOperatorCost, ...values }) =>
      save.mutate(
        { ...values, avgOperatorCost: avgOperatorCost || 0 },
        {
          onError: (error) => applyError(form, error),
          onSuccess: () => {
            onClose();
            showSuccessNotification(t('overview.changed'));
          },
        },
      ),
    focusRefused,
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={labels.processName}
          required
          data-autofocus
          maxLength={120}
          key={form.key('processName')}
          {...form.getInputProps('processName')}
        />
        <Textarea
          label={labels.description}
          autosize
          minRows={2}
          maxLength={2_000}
          key={form.key('description')}
          {...form.getInputProps('description')}
        />
        <EnvironmentSelect
          label={labels.environmentID}
          registered={process.environmentID}
          {...form.getInputProps('environmentID')}
        />
        <TextInput
          label={labels.avgHumanTime}
          description={t('overview.humanTimeHow')}
          key={form.key('avgHumanTime')}
          {...form.getInputProps('avgHumanTime')}
        />
        <NumberInput
          label={labels.avgOperatorCost}
          description={t('overview.costWhy')}
          min={0}
          decimalScale={2}
          decimalSeparator=","
          leftSection={CURRENCY_SYMBOL}
          hideControls
          key={form.key('avgOperatorCost')}
          {...form.getInputProps('avgOperatorCost')}
        />
        {save.error && <ErrorMessage error={save.error} labels={labels} />}
        <FormButtons submit={t('overview.save')} isPending={save.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface EnvironmentSelectProps {
  label: string;
  registered: string | null;
  error?: ReactNode;
}

/**
 * A choice of the process's environment. The registered one stays among the choices, even if the account does not reach it or the choices
 * are not read yet.
 */
function EnvironmentSelect({ registered, error, ...input }: EnvironmentSelectProps) {
  const { t } = useTranslation('processes');
  const environments = useQuery(environmentChoicesQuery);
  const data = environments.data ?? [];
  const unread = useChoiceError(environments);
  const isKnown = registered === null || data.some(({ environmentID }) => environmentID === registered);
  return (
    <NativeSelect
      data={[
        { value: '', label: t('add.noEnvironment') },
        ...(isKnown ? [] : [{ value: registered, label: t('overview.otherEnvironment') }]),
        ...data.map(({ environmentID, name }) => ({ value: environmentID, label: name })),
      ]}
      {...input}
      error={error ?? unread}
    />
  );
}
