import { NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
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

/** The cron expression: one of the examples, or another one, which has a field of its own. A refused one is shown in the field as well. */
export function CronField({ label, value, error, onChange }: CronFieldProps) {
  const { t } = useTranslation('schedules');
  const [isTyped, setTyped] = useState(false);
  const examples = Object.entries(EXAMPLES).map(([name, expression]) => ({
    value: expression,
    label: t(`form.examples.${name}`),
  }));
  const chosen = isTyped ? undefined : examples.find((example) => example.value === value.trim());
  const choose = (expression: string) => {
    setTyped(expression === '');
    // The field of another expression begins with the one that was chosen before.
    if (expression !== '') onChange(expression);
  };
  return (
    <>
      <NativeSelect
        label={t('form.repeats')}
        value={chosen?.value ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[...examples, { value: '', label: t('form.examples.other') }]}
      />
      {(!chosen || error) && (
        <TextInput
          label={label}
          description={t('form.cronWhy')}
          required
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={value}
          error={error}
          onChange={({ currentTarget }) => {
            // The field stays while its text happens to be one of the examples.
            setTyped(true);
            onChange(currentTarget.value);
          }}
        />
      )}
    </>
  );
}
