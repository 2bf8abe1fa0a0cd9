import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunAnswerItem } from '../../api/generated/console-api';
import type { Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { lazyPart } from '../../common/lazy-part';
import { RunDuration } from './run-duration';
import { RunStatusBadge } from './run-status-badge';
import { StepLine } from './step-line';

// The texts of failures would make the first load of the home page and of the list of processes larger.
const FailureLine = lazyPart(async () => (await import('./failure-line')).FailureLine);

/** The columns of every list of runs. */
export function useRunColumns(): Column<RunAnswerItem>[] {
  const { t } = useTranslation('runs');
  return [
    {
      key: 'run',
      title: t('columns.run'),
      render: (run) => (
        <Stack gap={0} maw="32rem">
          <Anchor fw={500} renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: run.instanceID }} {...props} />}>
            {run.processName}
          </Anchor>
          {run.errorMessage !== null && (
            <Suspense fallback={<StepLine step={run.errorStep} />}>
              <FailureLine run={run} />
            </Suspense>
          )}
        </Stack>
      ),
    },
    { key: 'status', title: t('columns.status'), render: (run) => <RunStatusBadge run={run} /> },
    { key: 'accepted', title: t('columns.accepted'), render: ({ acceptedAt }) => <DateTime value={acceptedAt} /> },
    {
      key: 'duration',
      title: t('columns.duration'),
      render: (run) => <RunDuration run={run} />,
    },
    {
      key: 'origin',
      title: t('columns.origin'),
      render: ({ trigger, userName }) => (
        <Stack gap={0}>
          <span>{t(`origins.${trigger}`)}</span>
          <Text size="xs" c="dimmed">
            {userName}
          </Text>
        </Stack>
      ),
    },
  ];
}
