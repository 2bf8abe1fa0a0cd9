import { Group, TextInput, type TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { existingDay } from './day';
import { useFilterText } from './use-filter-text';
import { useZoneNote } from './zone-note';

interface FilterFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onKeyDown'> {
  /** The value in the address of the page. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A field for a text that filters a list, without white space at its ends, a moment after it was typed or at once with Enter. */
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

/** The first and the last day of a period in São Paulo, both included; without one of them the period has no bound on that side. */
interface Period {
  from?: string;
  to?: string;
}

/** The fields for the period whose entries a list shows. */
export function FilterPeriodFields({ from, to, onChange }: Period & { onChange: (change: Period) => void }) {
  const { t } = useTranslation();
  const { note, describedBy } = useZoneNote();
  return (
    <div role={describedBy && 'group'} aria-describedby={describedBy}>
      {note}
      <Group gap="sm" align="flex-end">
        <FilterDayField label={t('filter.from')} max={to} value={from} onChange={(day) => onChange({ from: day })} />
        <FilterDayField label={t('filter.to')} min={from} value={to} onChange={(day) => onChange({ to: day })} />
      </Group>
    </div>
  );
}

/** A field for a day that filters a list. A day that is not complete yet leaves the list as it is. */
function FilterDayField({ value = '', onChange, ...props }: FilterFieldProps) {
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
