import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { LanguageSwitch } from './language-switch';
import { ThemeSwitch } from './theme-switch';

/** A page without navigation: one form in the middle. */
export function NarrowPage({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Batuta`);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Group justify="space-between">
          <Text fw={700} size="xl">
            Batuta
          </Text>
          <Group gap="xs">
            <LanguageSwitch />
            <ThemeSwitch />
          </Group>
        </Group>
        <Paper withBorder p="lg">
          <Title order={1} size="h2" mb="md">
            {title}
          </Title>
          {children}
        </Paper>
      </Stack>
    </Center>
  );
}
