import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CallError } from '../../api/error';
import { ErrorMessage } from '../../common/error-message';
import { detailText } from '../../common/message-text';
import { isEitherDay } from './cron-words';
import { cronWordsQuery, upcomingTimesQuery } from './queries';
import { SCHEDULE_ZONE, timeInWords } from './zone-times';

/** An expression in words, and its next times in the zone of schedules and in that of this machine. */
export function UpcomingTimesList({ cronExpression }: { cronExpression: string }) {
  const { t, i18n } = useTranslation('schedules');
  const { language } = i18n;
  const preview = useQuery(upcomingTimesQuery(cronExpression));
  const words = useQuery(cronWordsQuery(cronExpression, language));
  if (preview.error) return <PreviewError error={preview.error} />;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return (
    <Stack gap={4} aria-live="polite">
      {preview.data && words.data && (
        <Text size="sm" fw={500}>
          {words.data}
        </Text>
      )}
      {preview.data && isEitherDay(cronExpression) && <Text size="sm">{t('form.eitherDay')}</Text>}
      {preview.data && (
        <Text size="sm" fw={500}>
          {t('form.next')}
        </Text>
      )}
      <List size="sm">
        {(preview.data ?? []).map(({ at }) => (
          <List.Item key={at}>
            {timeInWords(language, at, SCHEDULE_ZONE)}
            {timeZone !== SCHEDULE_ZONE && (
              <Text component="span" size="sm" c="dimmed" display="block">
                {t('form.here', { time: timeInWords(language, at), zone: timeZone })}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** A refused expression is shown in one line that leaves the focus, because the user is still typing it. */
function PreviewError({ error }: { error: Error }) {
  const { t } = useTranslation('schedules');
  const labels = { cronExpression: t('columns.cron') };
  const call = CallError.from(error);
  if (call.code !== 'INVALID_CRON' && !call.field) return <ErrorMessage error={error} labels={labels} />;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {detailText(call, labels)}
    </Text>
  );
}
