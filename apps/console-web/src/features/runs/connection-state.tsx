import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunConnection } from './follow-run';

/** Whether what the page shows is up to date. */
export function ConnectionText({ connection }: { connection: RunConnection }) {
  const { t } = useTranslation('runs');
  return (
    <Text size="sm" c="dimmed" role="status">
      {t(`connection.${connection}`)}
    </Text>
  );
}
