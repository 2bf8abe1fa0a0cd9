import { NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** The expressions that the form offers in words, by the names of their texts. */
export const CRON_EXAMPLES = {
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

/** A choice among the example expressions, and a text field for any other expression. The text field is also shown for a refused expression. */
export function CronField({ label, value, error, onChange }: CronFieldProps) {
  const { t } = useTranslation('schedules');
  /** True while the user types an expression of their own: the text field stays, also when its text is one of the examples. */
  const [isTyped, setTyped] = useState(false);
  const examples = Object.entries(CRON_EXAMPLES).map(([name, expression]) => ({
    value: expression,
    label: t(`form.examples.${name}`),
  }));
  const chosen = isTyped ? undefined : examples.find((example) => example.value === value.trim());
  const choose = (expression: string) => {
    setTyped(expression === '');
    // The text field begins with the expression that was chosen before.
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
            setTyped(true);
            onChange(currentTarget.value);
          }}
        />
      )}
    </>
  );
}
