import { Box, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';
import { useNarrowScreen } from './narrow-screen';

interface FilterBarProps {
  /** The filters in the address of the page; a filter without a value is undefined. */
  filter: object;
  onClear: () => void;
  labels: { filters: string; clear: string };
  /** The fields of the filters. */
  children: ReactNode;
}

/**
 * The filters of a list that has more than two, and the button that clears them. On a narrow screen, which they would fill, a button with the
 * number of active filters shows and hides them.
 */
export function FilterBar({ filter, onClear, labels, children }: FilterBarProps) {
  const id = useId();
  const isNarrow = useNarrowScreen();
  const [isOpen, { toggle }] = useDisclosure(false);
  const count = Object.values(filter).filter((value) => value !== undefined).length;
  return (
    <Box mb="md">
      {isNarrow && (
        <Button
          variant="default"
          leftSection={<IconFilter size={18} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {labels.filters}
          {count > 0 && ` (${count})`}
        </Button>
      )}
      <div id={id} hidden={isNarrow && !isOpen}>
        <Group mt={isNarrow ? 'sm' : 0} align="flex-end" gap="sm">
          {children}
          {count > 0 && (
            <Button variant="subtle" onClick={onClear}>
              {labels.clear}
            </Button>
          )}
        </Group>
      </div>
    </Box>
  );
}
