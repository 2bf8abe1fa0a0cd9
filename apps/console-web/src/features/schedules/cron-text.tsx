import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isEitherDay } from './cron-words';
import { cronWordsQuery } from './queries';

/** A cron expression in words, with the expression itself and the zone of its times. */
export function CronText({ cronExpression }: { cronExpression: string }) {
  const { t, i18n } = useTranslation('schedules');
  const { data: words } = useQuery(cronWordsQuery(cronExpression, i18n.language));
  return (
    <>
      {words}
      <EitherDayNote cronExpression={cronExpression} />
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

/** Says that a day needs to match only one of two fields, which the words of an expression leave open. */
export function EitherDayNote({ cronExpression }: { cronExpression: string }) {
  const { t } = useTranslation('schedules');
  return (
    isEitherDay(cronExpression) && (
      <Text component="span" display="block" size="sm">
        {t('form.eitherDay')}
      </Text>
    )
  );
}
