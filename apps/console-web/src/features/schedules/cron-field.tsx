import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** The expressions that the form offers by their meaning. */
export const EXAMPLES = {
  hour: '0 * * * *',
  day: '0 8 * * *',
  workday: '0 8 * * MON-FRI',
  monday: '0 8 * * MON',
  month: '0 8 1 * *',
};

interface CronFieldProps {
  label: string;
  value: string;
  error?: ReactNode;
  onChange: (expression: string) => void;
}

/** The cron expression, typed or taken from an example. */
export function CronField({ label, value, onChange, ...props }: CronFieldProps) {
  const { t } = useTranslation('schedules');
  const examples = Object.entries(EXAMPLES).map(([name, expression]) => ({
    value: expression,
    label: t(`form.examples.${name}`),
  }));
  const chosen = examples.find((example) => example.value === value.trim())?.value ?? '';
  return (
    <>
      <NativeSelect
        label={t('form.repeats')}
        value={chosen}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        data={[...examples, ...(chosen === '' ? [{ value: '', label: t('form.examples.other') }] : [])]}
      />
      <TextInput
        label={label}
        description={t('form.cronWhy')}
        required
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        {...props}
      />
    </>
  );
}
