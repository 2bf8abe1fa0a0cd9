import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { itemsOf } from '../../api/pages';
import { ErrorMessage } from '../../common/error-message';
import { applyError } from '../../common/form-errors';
import { processesQuery } from '../processes/queries';
import { EVENT_NAMES } from './event-names';
import type { SubscriptionValues } from './subscription-values';

interface SubscriptionFormProps {
  initialValues: SubscriptionValues;
  submitText: string;
  error: Error | null;
  isPending: boolean;
  onSubmit: (values: SubscriptionValues, fail: (error: unknown) => void) => void;
  onCancel: () => void;
}

/** The settings of a subscription, for a new one and for a change. */
export function SubscriptionForm(props: SubscriptionFormProps) {
  const { initialValues, submitText, error, isPending, onSubmit, onCancel } = props;
  const { t } = useTranslation(['events', 'common']);
  const form = useForm<SubscriptionValues>({
    initialValues,
    validate: {
      url: (url) => (/^https?:\/\/./i.test(url.trim()) ? null : t('form.noAddress')),
      events: (events) => (events.length === 0 ? t('form.noEvent') : null),
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => onSubmit(values, (refusal) => applyError(form, refusal)))} noValidate>
      <Stack>
        <TextInput
          label={t('form.url')}
          description={t('form.urlWhy')}
          type="url"
          placeholder="https://"
          required
          data-autofocus
          maxLength={2000}
          {...form.getInputProps('url')}
        />
        <Checkbox.Group label={t('form.events')} required {...form.getInputProps('events')}>
          <Stack mt="xs" gap="xs">
            {EVENT_NAMES.map((name) => (
              <Checkbox key={name} value={name} label={t(`names.${name}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <ProcessChoice initial={initialValues.processID} inputProps={form.getInputProps('processID')} />
        {error && <ErrorMessage error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('common:actions.cancel')}
          </Button>
          <Button type="submit" loading={isPending}>
            {submitText}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ProcessChoice({ initial, inputProps }: { initial: string; inputProps: object }) {
  const { t } = useTranslation('events');
  const processes = itemsOf(useInfiniteQuery(processesQuery).data);
  // The process may belong to somebody of the company who has not shared it.
  const isUnlisted = initial !== '' && !processes.some(({ processID }) => processID === initial);
  return (
    <NativeSelect
      label={t('columns.process')}
      data={[
        { value: '', label: t('allProcesses') },
        ...processes.map(({ processID, processName }) => ({ value: processID, label: processName })),
        ...(isUnlisted ? [{ value: initial, label: initial }] : []),
      ]}
      {...inputProps}
    />
  );
}
