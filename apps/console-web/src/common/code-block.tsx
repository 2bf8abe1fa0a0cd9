import { Box, Code, Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button';

/** Text to read or copy, exactly as it is. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <CopyButton value={code} label={label} />
      </Group>
      <Code block tabIndex={0} aria-label={label}>
        {code}
      </Code>
    </Box>
  );
}
