import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RunDetailsAnswer } from '../../api/generated/console-api';
import { DateTime } from '../../common/date-time';
import { endingOf } from './run-ending';
import { RunSuggestions } from './run-suggestions';
import type { RunStream } from './use-run-stream';

const LOOKS = {
  error: { color: 'red', icon: <IconAlertCircle aria-hidden /> },
  stopped: { color: 'orange', icon: <IconPlayerStop aria-hidden /> },
};

/** Without this style the longest word or button would make the body of the alert wider than a phone. */
const NARROW_BODY = { body: { minWidth: 0 } };

interface RunEndingViewProps {
  details: RunDetailsAnswer;
  stream: RunStream;
  /** True when the header of the page has the button that repeats the run, so that it is not among the suggestions. */
  hasRerunInHeader: boolean;
}

/** What happened to a run that failed or was stopped: where, when, why, and what the account can do now; nothing for any other run. */
export function RunEndingView({ details, stream, hasRerunInHeader }: RunEndingViewProps) {
  const { t } = useTranslation('runs');
  const { run } = details;
  const ending = endingOf(run, stream.path.steps.at(-1)?.step);
  if (!ending) return null;
  const title = (
    <Text component="h2" inherit m={0} style={{ overflowWrap: 'anywhere' }}>
      {ending.title}
    </Text>
  );
  return (
    <Alert {...LOOKS[run.status === 'stopped' ? 'stopped' : 'error']} role="region" title={title} styles={NARROW_BODY}>
      <Stack gap="sm">
        <Text size="sm">{ending.meaning}</Text>
        {ending.reason !== undefined && (
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <b>{t('ending.message')}</b> {ending.reason}
          </Text>
        )}
        <Text size="sm">
          <b>{t('ending.when')}</b> <DateTime value={run.finishedAt} />
        </Text>
        <RunSuggestions
          details={details}
          ending={ending}
          lines={stream.log.lines}
          hasRerunInHeader={hasRerunInHeader}
        />
      </Stack>
    </Alert>
  );
}
