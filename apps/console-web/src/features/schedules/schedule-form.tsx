import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ScheduleAnswer, VariableAnswer } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { applyError } from '../../common/form-errors';
import { environmentChoicesQuery, processQuery } from '../processes/queries';
import { refusedByName, type TypedValues } from '../processes/run/run-values';
import { addSchedule, changeSchedule, processChoicesQuery, scheduleKeys } from './queries';
import { typedOf, valuesToStore } from './schedule-values';
import { UpcomingTimes } from './upcoming-times';
import { ValueFields } from './value-fields';

const PAUSE_MS = 400;
const EVERY_WORKDAY = '0 8 * * MON-FRI';
const NO_VARIABLES: readonly VariableAnswer[] = [];

interface ScheduleFormProps {
  /** The schedule to edit; absent when the form creates one. */
  schedule?: ScheduleAnswer;
  /** The process that a new one starts, if it is known. */
  process?: string;
  onClose: () => void;
}

/** Makes a schedule, or changes one, with a field for each variable of its process. */
export function ScheduleForm({ schedule, process = '', onClose }: ScheduleFormProps) {
  const { t } = useTranslation(['schedules', 'common']);
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      process: schedule?.processID ?? process,
      name: schedule?.name ?? '',
      cronExpression: schedule?.cronExpression ?? EVERY_WORKDAY,
      environmentID: undefined as string | undefined,
    },
    validate: {
      process: (pid) => (pid === '' ? t('form.processMissing') : null),
      name: (name) => (name.trim() === '' ? t('form.nameMissing') : null),
    },
  });
  const { process: pid, cronExpression, environmentID } = form.values;
  const details = useQuery({ ...processQuery(pid), enabled: pid !== '' });
  const variables = details.data?.matrix;
  const stored = schedule?.matrix ?? {};
  const [changed, setChanged] = useState<TypedValues>({});
  const typed = { ...typedOf(variables ?? NO_VARIABLES, stored), ...changed };
  const [shownExpression] = useDebouncedValue(cronExpression.trim(), PAUSE_MS);
  const registered = details.data?.environmentID ?? '';
  const environmentBefore = schedule && schedule.environmentID !== registered ? schedule.environmentID : '';
  const save = useMutation({
    mutationFn: async ({ name, cronExpression: cron }: { name: string; cronExpression: string }) => {
      const matrix = valuesToStore(variables ?? NO_VARIABLES, typed, stored);
      const environment = environmentID === undefined ? {} : { environmentID: environmentID || null };
      if (schedule) return changeSchedule({ id: schedule.id, name, cronExpression: cron, matrix, ...environment });
      return addSchedule({
        process: pid,
        name,
        cronExpression: cron,
        matrix,
        ...(environmentID ? { environmentID } : {}),
        active: true,
      });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: scheduleKeys.all });
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate autoComplete="off">
      <Stack>
        {!schedule && <ProcessField {...form.getInputProps('process')} />}
        <TextInput label={t('columns.name')} required {...form.getInputProps('name')} />
        <TextInput
          label={t('columns.cron')}
          description={t('form.cronWhy')}
          required
          ff="monospace"
          {...form.getInputProps('cronExpression')}
        />
        <UpcomingTimes cronExpression={shownExpression} />
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
        {save.error && <ErrorMessage error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:actions.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={pid !== '' && !variables}>
            {t(schedule ? 'form.save' : 'form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ProcessField(props: object) {
  const { t } = useTranslation('schedules');
  const processes = useQuery(processChoicesQuery);
  return (
    <NativeSelect
      label={t('columns.process')}
      required
      data={[
        { value: '', label: t('form.choose') },
        ...(processes.data ?? []).map(({ processID, processName }) => ({ value: processID, label: processName })),
      ]}
      {...props}
    />
  );
}

function EnvironmentField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { t } = useTranslation('schedules');
  const { data = [] } = useQuery(environmentChoicesQuery);
  const isKnown = value === '' || data.some(({ environmentID }) => environmentID === value);
  return (
    <NativeSelect
      label={t('form.environment')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('form.ofProcess') },
        ...data.map(({ environmentID, name }) => ({ value: environmentID, label: name })),
        ...(isKnown ? [] : [{ value, label: value }]),
      ]}
    />
  );
}
