import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats';
import { ClearFiltersButton } from './clear-filters-button';
import { EmptyState } from './empty-state';

/** A filter of a list, as its field names it, and its value in words; a filter without a value is not active. */
type NamedFilter = [name: string, value: string | undefined];

interface NoMatchesProps {
  title: string;
  text?: string;
  filters: NamedFilter[];
  /** Left out under a `FilterBar`, which has the button. */
  onClear?: () => void;
}

/** Takes the place of a list that its filters leave empty: it names the active filters and has the button that clears them. */
export function NoMatches({ title, text, filters, onClear }: NoMatchesProps) {
  const active = filters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return (
    <EmptyState
      title={title}
      text={text}
      action={
        <>
          <Text ta="center" style={{ overflowWrap: 'anywhere' }}>
            {active.join(' · ')}
          </Text>
          {onClear && <ClearFiltersButton variant="default" onClear={onClear} />}
        </>
      }
    />
  );
}

/** The filters of `FilterPeriodFields` with their values in words. */
export function usePeriodNames({ from, to }: { from?: string; to?: string }): NamedFilter[] {
  const { t } = useTranslation();
  const { day } = useFormats();
  return [
    [t('filter.from'), from && day(from)],
    [t('filter.to'), to && day(to)],
  ];
}
