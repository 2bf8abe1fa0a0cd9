import { Box, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ClearFiltersButton } from './clear-filters-button';
import { useNarrowScreen } from './narrow-screen';

export interface FilterBarProps<Filter extends object> {
  /** The filters in the address of the page; a filter without a value is undefined. */
  filter: Filter;
  /** Gets only the filters that change; undefined clears a filter. */
  onChange: (change: Filter) => void;
}

interface FrameProps<Filter extends object> extends FilterBarProps<Filter> {
  /** Every filter without a value. */
  none: Filter;
  /** The fields of the filters. */
  children: ReactNode;
}

/**
 * The filters of a list with more than two filters, and the button that clears them. On a narrow screen, which the fields would fill, a button with
 * the number of active filters shows and hides the fields.
 */
export function FilterBar<Filter extends object>({ filter, onChange, none, children }: FrameProps<Filter>) {
  const { t } = useTranslation();
  const id = useId();
  const isNarrow = useNarrowScreen();
  const [isOpen, { toggle }] = useDisclosure(false);
  const count = Object.values(filter).filter((value) => value !== undefined).length;
  const clear = count > 0 && <ClearFiltersButton variant="subtle" onClear={() => onChange(none)} />;
  return (
    <Box mb="md">
      {isNarrow && (
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<IconFilter size={18} aria-hidden />}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={toggle}
          >
            {t('filter.filters')}
            {count > 0 && ` (${count})`}
          </Button>
          {clear}
        </Group>
      )}
      <div id={id} hidden={isNarrow && !isOpen}>
        <Group mt={isNarrow ? 'sm' : 0} align="flex-end" gap="sm">
          {children}
          {!isNarrow && clear}
        </Group>
      </div>
    </Box>
  );
}
