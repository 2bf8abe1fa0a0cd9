import { NativeSelect, NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, required } from '../../common/form-errors';
import { PasswordField } from '../../common/password-field';
import type { OriginValues } from './origin-values';

const MODES = ['Imediata', 'Aguardar'] as const;
/** The maximums of the API. */
const MAX_WAIT_SECONDS = 120;
const MAX_TOLERANCE_SECONDS = 86_400;

interface OriginFormProps {
  initialValues: OriginValues;
  submitText: string;
  error: Error | null;
  isPending: boolean;
  /** Sends the values; passes a refusal to `fail`, which shows it at its field. */
  onSubmit: (values: OriginValues, fail: (error: unknown) => void) => void;
  onCancel: () => void;
}

/** The settings of an origin, for a new one and for a change. */
export function OriginForm({ initialValues, submitText, error, isPending, onSubmit, onCancel }: OriginFormProps) {
  const { t } = useTranslation(['webhooks', 'common']);
  const form = useForm<OriginValues>({
    initialValues,
    validate: {
      name: (name) => required(name.trim()),
      waitSeconds: (seconds, { responseMode }) => (responseMode === 'Aguardar' ? required(seconds) : null),
      signature: {
        header: (header, { choice }) => (choice === 'set' ? required(header.trim()) : null),
        secret: (secret, { choice }) => (choice === 'set' ? required(secret) : null),
      },
    },
  });
  const { responseMode, choice } = form.getValues();
  const choices = [...(initialValues.choice === 'keep' ? ['keep'] : []), 'none', 'set'];
  const labels = {
    name: t('form.name'),
    responseMode: t('form.mode'),
    waitSeconds: t('form.wait'),
    signature: t('form.signature'),
  };
  return (
    <form
      onSubmit={form.onSubmit((values) => onSubmit(values, (refusal) => applyError(form, refusal)), focusRefused)}
      noValidate
    >
      <Stack>
        <TextInput
          label={labels.name}
          description={t('form.nameWhy')}
          required
          data-autofocus
          maxLength={120}
          {...form.getInputProps('name')}
        />
        <Radio.Group label={labels.responseMode} {...form.getInputProps('responseMode')}>
          <Stack mt="xs" gap="xs">
            {MODES.map((mode) => (
              <Radio key={mode} value={mode} label={t(`modes.${mode}`)} description={t(`modeWhy.${mode}`)} />
            ))}
          </Stack>
        </Radio.Group>
        {responseMode === 'Aguardar' && (
          <NumberInput
            label={labels.waitSeconds}
            required
            min={1}
            max={MAX_WAIT_SECONDS}
            allowDecimal={false}
            {...form.getInputProps('waitSeconds')}
          />
        )}
        <NativeSelect
          label={labels.signature}
          description={t('form.signatureWhy')}
          data={choices.map((value) => ({ value, label: t(`form.choices.${value}`) }))}
          {...form.getInputProps('choice')}
        />
        {choice === 'set' && (
          <>
            <TextInput
              label={t('form.header')}
              description={t('form.headerWhy')}
              placeholder="X-Hub-Signature-256"
              required
              {...form.getInputProps('signature.header')}
            />
            <PasswordField
              label={t('form.secret')}
              description={t('form.secretWhy')}
              required
              maxLength={200}
              autoComplete="off"
              {...form.getInputProps('signature.secret')}
            />
            <NumberInput
              label={t('form.tolerance')}
              description={t('form.toleranceWhy')}
              min={1}
              max={MAX_TOLERANCE_SECONDS}
              allowDecimal={false}
              {...form.getInputProps('signature.toleranceSeconds')}
            />
          </>
        )}
        {error && <ErrorMessage error={error} labels={labels} />}
        <FormButtons submit={submitText} isPending={isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
