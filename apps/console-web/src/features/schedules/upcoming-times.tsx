import { Button, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CallError } from '../../api/error';
import { ErrorMessage } from '../../common/error-message';
import { detailText } from '../../common/message-text';
import { EitherDayNote } from './cron-text';
import { cronWordsQuery, upcomingTimesQuery } from './queries';
import { SCHEDULE_ZONE, shortTime } from './zone-times';

/** Number of times that show the rhythm of a schedule; further ones are shown on demand. */
const FIRST_TIMES = 3;

/** A cron expression in words, and its next times in the zone of schedules and, where that differs, in the zone of this machine. */
export function UpcomingTimesList({ cronExpression }: { cronExpression: string }) {
  const { t, i18n } = useTranslation('schedules');
  const { language } = i18n;
  const [showsAll, { toggle }] = useDisclosure(false);
  const preview = useQuery(upcomingTimesQuery(cronExpression));
  const words = useQuery(cronWordsQuery(cronExpression, language));
  if (preview.error) return <PreviewError error={preview.error} />;
  const times = preview.data ?? [];
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const isSameZone = timeZone === SCHEDULE_ZONE;
  return (
    <Stack gap={4} aria-live="polite">
      {preview.data && words.data && (
        <Text size="sm" fw={500}>
          {words.data}
        </Text>
      )}
      {preview.data && <EitherDayNote cronExpression={cronExpression} />}
      {preview.data && (
        <Text size="sm" fw={500}>
          {isSameZone ? t('form.next') : t('form.nextHere', { zone: timeZone })}
        </Text>
      )}
      <List size="sm">
        {times.slice(0, showsAll ? undefined : FIRST_TIMES).map(({ at }) => (
          <List.Item key={at}>
            {shortTime(language, at, SCHEDULE_ZONE)}
            {!isSameZone && (
              <Text component="span" size="sm" c="dimmed" display="block">
                {t('form.here', { time: shortTime(language, at) })}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
      {times.length > FIRST_TIMES && (
        <Button size="compact-sm" variant="subtle" w="fit-content" aria-expanded={showsAll} onClick={toggle}>
          {showsAll ? t('form.fewer') : t('form.more', { count: times.length - FIRST_TIMES })}
        </Button>
      )}
    </Stack>
  );
}

/** The refusal of an expression is one line that does not take the focus, because the user is still typing the expression. */
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
