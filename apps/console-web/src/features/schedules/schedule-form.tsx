import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ScheduleAnswer, VariableAnswer } from '../../api/generated/console-api';
import { useChoiceError } from '../../common/choice-error';
import { isEmpty, useChangesOf } from '../../common/concurrent-edit';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, translatedText } from '../../common/form-errors';
import { environmentChoicesQuery, processChoicesQuery, processQuery } from '../processes/queries';
import { refusedByName, type TypedValues } from '../processes/run/run-values';
import { CronField, CRON_EXAMPLES } from './cron-field';
import { processOptions, stateHint } from './process-options';
import { addSchedule, changeSchedule, readSchedule, scheduleKeys } from './queries';
import { typedTextsOf, valuesToStore } from './schedule-values';
import { UpcomingTimesList } from './upcoming-times';
import { ValueFields } from './value-fields';

/** The pause in typing after which the form shows the next times of the expression. */
const PAUSE_MS = 400;
const NO_VARIABLES: readonly VariableAnswer[] = [];

interface ScheduleFormProps {
  /** The schedule to edit; absent when the form creates one. */
  schedule?: ScheduleAnswer;
  /** The id of the process that a new schedule starts, if it is known. */
  process?: string;
  onClose: () => void;
}

/** The form that creates or changes a schedule, with a field for each variable of its process. A new schedule is switched on. */
export function ScheduleForm({ schedule, process = '', onClose }: ScheduleFormProps) {
  const { t } = useTranslation(['schedules', 'common']);
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      process: schedule?.processID ?? process,
      name: schedule?.name ?? '',
      cronExpression: schedule?.cronExpression ?? CRON_EXAMPLES.workday,
      environmentID: undefined as string | undefined,
    },
    validate: {
      process: (pid) => (pid === '' ? translatedText('schedules:form.processMissing') : null),
      name: (name) => (name.trim() === '' ? translatedText('schedules:form.nameMissing') : null),
      cronExpression: (cron) => (cron.trim() === '' ? translatedText('schedules:form.cronMissing') : null),
    },
  });
  const { process: pid, cronExpression, environmentID } = form.values;
  const details = useQuery({ ...processQuery(pid), enabled: pid !== '' });
  const variables = details.data?.matrix;
  const stored = schedule?.matrix ?? {};
  const [changed, setChanged] = useState<TypedValues>({});
  const typed = { ...typedTextsOf(variables ?? NO_VARIABLES, stored), ...changed };
  const [shownExpression] = useDebouncedValue(cronExpression.trim(), PAUSE_MS);
  const environmentOfProcess = details.data?.environmentID ?? '';
  const environmentBefore = schedule && schedule.environmentID !== environmentOfProcess ? schedule.environmentID : '';
  const change = useScheduleChange(schedule);
  const save = useMutation({
    mutationFn: async ({ name, cronExpression: cron }: { name: string; cronExpression: string }) => {
      const values = { name, cronExpression: cron, matrix: valuesToStore(variables ?? NO_VARIABLES, typed, stored) };
      if (schedule) return change(values, environmentID);
      return addSchedule({ process: pid, ...values, ...(environmentID ? { environmentID } : {}), active: true });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: scheduleKeys.all });
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  const labels = { name: t('columns.name'), cronExpression: t('columns.cron'), matrix: t('form.values') };
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values), focusRefused)} noValidate autoComplete="off">
      <Stack>
        {!schedule && <ProcessField value={pid} {...form.getInputProps('process')} />}
        <TextInput
          label={labels.name}
          required
          data-autofocus={schedule ? true : undefined}
          {...form.getInputProps('name')}
        />
        <CronField label={labels.cronExpression} {...form.getInputProps('cronExpression')} value={cronExpression} />
        {!form.errors['cronExpression'] && <UpcomingTimesList cronExpression={shownExpression} />}
        {details.error && <ErrorMessage error={details.error} />}
        {pid !== '' && !details.error && (
          <>
            <ValueFields
              variables={variables}
              typed={typed}
              refused={refusedByName([], save.error)}
              onChange={(name, value) => setChanged((before) => ({ ...before, [name]: value }))}
            />
            <EnvironmentField
              value={environmentID ?? environmentBefore}
              onChange={(id) => form.setFieldValue('environmentID', id)}
            />
          </>
        )}
        {save.error && <ErrorMessage error={save.error} labels={labels} />}
        <FormButtons
          submit={t(schedule ? 'form.save' : 'form.submit')}
          disabled={pid !== '' && !variables}
          isPending={save.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

type ScheduleValues = Pick<ScheduleAnswer, 'name' | 'cronExpression' | 'matrix'>;

const NO_VALUES: ScheduleValues = { name: '', cronExpression: '', matrix: {} };

/**
 * Returns a function that sends only what the user has changed; its `environmentID` is undefined when the user left the
 * environment as it was.
 */
function useScheduleChange(schedule: ScheduleAnswer | undefined) {
  const changesOf = useChangesOf(schedule ? valuesOf(schedule) : NO_VALUES, async () =>
    schedule ? valuesOf(await readSchedule(schedule.id)) : NO_VALUES,
  );
  return async (values: ScheduleValues, environmentID: string | undefined): Promise<unknown> => {
    if (!schedule) return undefined;
    const environment = environmentID === undefined ? {} : { environmentID: environmentID || null };
    const change = { ...(await changesOf(values)), ...environment };
    return isEmpty(change) ? undefined : changeSchedule({ id: schedule.id, ...change });
  };
}

function valuesOf({ name, cronExpression, matrix }: ScheduleAnswer): ScheduleValues {
  return { name, cronExpression, matrix };
}

function ProcessField({ error, ...props }: { value: string; error?: ReactNode }) {
  const { t } = useTranslation(['schedules', 'processes']);
  const processes = useQuery(processChoicesQuery);
  const choiceError = useChoiceError(processes);
  const chosen = processes.data?.find(({ processID }) => processID === props.value);
  return (
    <NativeSelect
      label={t('columns.process')}
      description={stateHint(chosen, t) || undefined}
      required
      data-autofocus
      error={error ?? choiceError}
      data={[{ value: '', label: t('form.choose') }, ...processOptions(processes.data ?? [], t)]}
      {...props}
    />
  );
}

function EnvironmentField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { t } = useTranslation('schedules');
  const environments = useQuery(environmentChoicesQuery);
  const data = environments.data ?? [];
  const isKnown = value === '' || data.some(({ environmentID }) => environmentID === value);
  return (
    <NativeSelect
      label={t('form.environment')}
      error={useChoiceError(environments)}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('form.ofProcess') },
        ...data.map(({ environmentID, name }) => ({ value: environmentID, label: name })),
        ...(isKnown ? [] : [{ value, label: environments.data ? t('form.otherEnvironment') : '–' }]),
      ]}
    />
  );
}
