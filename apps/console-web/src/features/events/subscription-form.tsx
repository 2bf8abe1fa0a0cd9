import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, translatedText } from '../../common/form-errors';
import { EVENT_NAMES } from './event-names';
import { companyProcessesQuery } from './queries';
import type { SubscriptionValues } from './subscription-values';

interface SubscriptionFormProps {
  initialValues: SubscriptionValues;
  submitText: string;
  error: Error | null;
  isPending: boolean;
  /** Sends the values; passes a refusal to `fail`, which shows it at its field. */
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
      url: (url) => (/^https?:\/\/./i.test(url.trim()) ? null : translatedText('events:form.noAddress')),
      events: (events) => (events.length === 0 ? translatedText('events:form.noEvent') : null),
    },
  });
  const labels = { url: t('form.url'), events: t('form.events'), processID: t('columns.process') };
  return (
    <form
      onSubmit={form.onSubmit((values) => onSubmit(values, (refusal) => applyError(form, refusal)), focusRefused)}
      noValidate
    >
      <Stack>
        <TextInput
          label={labels.url}
          description={t('form.urlWhy')}
          type="url"
          placeholder="https://"
          required
          data-autofocus
          maxLength={2000}
          {...form.getInputProps('url')}
        />
        <Checkbox.Group label={labels.events} required {...form.getInputProps('events')}>
          <Stack mt="xs" gap="xs">
            {EVENT_NAMES.map((name) => (
              <Checkbox
                key={name}
                value={name}
                label={t(`names.${name}`)}
                aria-invalid={form.errors['events'] !== undefined}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <ProcessChoice
          label={labels.processID}
          initial={initialValues.processID}
          inputProps={form.getInputProps('processID')}
        />
        {error && <ErrorMessage error={error} labels={labels} />}
        <FormButtons submit={submitText} isPending={isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

/** The choice between all processes and any one of the company, whoever owns it. */
function ProcessChoice(props: { label: string; initial: string; inputProps: object }) {
  const { label, initial, inputProps } = props;
  const { t } = useTranslation('events');
  const { data: processes = [], error } = useQuery(companyProcessesQuery);
  // The process of the subscription was deleted, or the choices are not read yet.
  const isUnlisted = initial !== '' && !processes.some(({ processID }) => processID === initial);
  return (
    <>
      <NativeSelect
        label={label}
        data={[
          { value: '', label: t('allProcesses') },
          ...processes.map(({ processID, processName, ownerName }) => ({
            value: processID,
            label: `${processName} · ${ownerName}`,
          })),
          ...(isUnlisted ? [{ value: initial, label: initial }] : []),
        ]}
        {...inputProps}
      />
      {error && <ErrorMessage error={error} />}
    </>
  );
}
