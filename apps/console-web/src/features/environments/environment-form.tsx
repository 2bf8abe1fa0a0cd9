import { Checkbox, Group, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { EnvironmentAnswer } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, translatedText } from '../../common/form-errors';

const SYSTEMS = ['windows', 'linux', 'macos'];
const TYPES = ['prod', 'test', 'dev'];
/** The bound of the API for the number of runs that an environment runs at once. */
const MAX_CAPACITY = 1_000;

export type EnvironmentValues = Pick<
  EnvironmentAnswer,
  'name' | 'description' | 'os' | 'envType' | 'offlineFlow' | 'cancelQueueOnException' | 'capacity'
>;

export const NEW_ENVIRONMENT: EnvironmentValues = {
  name: '',
  description: '',
  os: 'windows',
  envType: 'prod',
  offlineFlow: true,
  cancelQueueOnException: false,
  capacity: 5,
};

export function environmentValuesOf(environment: EnvironmentAnswer): EnvironmentValues {
  const { name, description, os, envType, offlineFlow, cancelQueueOnException, capacity } = environment;
  return { name, description, os, envType, offlineFlow, cancelQueueOnException, capacity };
}

interface EnvironmentFormProps {
  initialValues: EnvironmentValues;
  submitText: string;
  error: Error | null;
  isPending: boolean;
  /** Sends the values; passes a refusal to `fail`, which shows it at its field. */
  onSubmit: (values: EnvironmentValues, fail: (error: unknown) => void) => void;
  onCancel: () => void;
}

/** The settings of an environment, for a new one and for a change. */
export function EnvironmentForm({
  initialValues,
  submitText,
  error,
  isPending,
  onSubmit,
  onCancel,
}: EnvironmentFormProps) {
  const { t } = useTranslation(['environments', 'common']);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues,
    validate: {
      name: (name) => (name.trim() === '' ? translatedText('environments:form.nameMissing') : null),
    },
  });
  const labels = {
    name: t('columns.name'),
    description: t('form.description'),
    os: t('columns.system'),
    envType: t('columns.type'),
    capacity: t('columns.capacity'),
    offlineFlow: t('form.offlineFlow'),
    cancelQueueOnException: t('form.cancelQueue'),
  };
  // Older clients may have stored other words than those offered here.
  const choices = (words: string[], now: string, group: 'systems' | 'types') =>
    [...new Set([...words, now])].map((value) => ({ value, label: t(`${group}.${value}`, { defaultValue: value }) }));
  return (
    <form
      onSubmit={form.onSubmit((values) => onSubmit(values, (refusal) => applyError(form, refusal)), focusRefused)}
      noValidate
    >
      <Stack>
        <TextInput
          label={labels.name}
          required
          data-autofocus
          maxLength={120}
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <Textarea
          label={labels.description}
          autosize
          minRows={2}
          key={form.key('description')}
          {...form.getInputProps('description')}
        />
        <Group grow>
          <NativeSelect
            label={labels.os}
            data={choices(SYSTEMS, initialValues.os, 'systems')}
            key={form.key('os')}
            {...form.getInputProps('os')}
          />
          <NativeSelect
            label={labels.envType}
            data={choices(TYPES, initialValues.envType, 'types')}
            key={form.key('envType')}
            {...form.getInputProps('envType')}
          />
        </Group>
        <NumberInput
          label={labels.capacity}
          description={t('form.capacityWhy')}
          min={1}
          max={MAX_CAPACITY}
          allowDecimal={false}
          key={form.key('capacity')}
          {...form.getInputProps('capacity')}
        />
        <Checkbox
          label={labels.offlineFlow}
          description={t('form.offlineFlowWhy')}
          key={form.key('offlineFlow')}
          {...form.getInputProps('offlineFlow', { type: 'checkbox' })}
        />
        <Checkbox
          label={labels.cancelQueueOnException}
          description={t('form.cancelQueueWhy')}
          key={form.key('cancelQueueOnException')}
          {...form.getInputProps('cancelQueueOnException', { type: 'checkbox' })}
        />
        {error && <ErrorMessage error={error} labels={labels} />}
        <FormButtons submit={submitText} isPending={isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
