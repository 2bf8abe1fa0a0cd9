import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * Takes the place of an empty list or screen: it says what belongs here and what to do first. `action` leads elsewhere: the button that adds
 * an entry to a list is part of the page, whether the list is empty or not.
 */
export function EmptyState({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm">
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        {text !== undefined && (
          <Text c="dimmed" ta="center">
            {text}
          </Text>
        )}
        {action}
      </Stack>
    </Paper>
  );
}
