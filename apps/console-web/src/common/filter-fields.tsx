import { TextInput, type TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { existingDay } from './day';
import { useFilterText } from './use-filter-text';

interface FilterFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onKeyDown'> {
  /** The value in the address of the page. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A text that filters a list, a moment after it was typed or at once with Enter. */
export function FilterTextField({ value = '', onChange, ...props }: FilterFieldProps) {
  const { text, type, commitNow } = useFilterText(
    value,
    (typed) => typed.trim(),
    (next) => onChange(next || undefined),
  );
  return (
    <TextInput
      {...props}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && commitNow()}
    />
  );
}

/** A day that filters a list. A day that is not complete yet leaves the list as it is. */
export function FilterDayField({ value = '', onChange, ...props }: FilterFieldProps) {
  const { t } = useTranslation();
  const { text, type } = useFilterText(
    value,
    (typed) => (typed === '' ? '' : existingDay(typed)),
    (next) => onChange(next || undefined),
  );
  return (
    <TextInput
      {...props}
      type="date"
      value={text}
      error={text !== '' && existingDay(text) === undefined && t('filter.noDay')}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
