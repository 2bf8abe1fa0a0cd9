import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { cronWordsQuery } from './queries';

/** A cron expression in words, with the expression itself and the zone of its times. */
export function CronText({ cronExpression }: { cronExpression: string }) {
  const { t, i18n } = useTranslation('schedules');
  const { data: words } = useQuery(cronWordsQuery(cronExpression, i18n.language));
  return (
    <>
      {words}
      <Text component="span" display="block" size="sm" c="dimmed">
        <CronCode cronExpression={cronExpression} /> · {t('zone')}
      </Text>
    </>
  );
}

/** A cron expression, which stays on one line unless it is longer than a line. */
export function CronCode({ cronExpression }: { cronExpression: string }) {
  return <code style={{ display: 'inline-block', maxWidth: '100%' }}>{cronExpression}</code>;
}
