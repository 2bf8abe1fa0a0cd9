import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunConnection } from './follow-run';

/** Says whether the page shows the run as it is now: connecting, live, lost or ended. */
export function ConnectionText({ connection }: { connection: RunConnection }) {
  const { t } = useTranslation('runs');
  return (
    <Text size="sm" c="dimmed" role="status">
      {t(`connection.${connection}`)}
    </Text>
  );
}
