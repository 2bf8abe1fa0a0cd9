import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RunAnswerItem } from '../../api/generated/console-api';
import type { Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { RunDuration } from './run-duration';
import { RunStatusBadge } from './run-status-badge';

/** The columns of a list of runs; the home page shows fewer of them. */
export function useRunColumns(): Column<RunAnswerItem>[] {
  const { t } = useTranslation('runs');
  return [
    {
      key: 'run',
      title: t('columns.run'),
      render: ({ instanceID, processName, errorStep }) => (
        <Stack gap={0}>
          <Anchor fw={500} renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: instanceID }} {...props} />}>
            {processName}
          </Anchor>
          {errorStep !== null && errorStep !== '' && (
            <Text size="xs" c="dimmed">
              {t('atStep', { step: errorStep })}
            </Text>
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
