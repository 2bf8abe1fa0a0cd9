import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AuditEventAnswer } from '../../../api/generated/console-api';
import { useAccount } from '../../../api/session';
import { DataTable, type Column } from '../../../common/data-table';
import { DateTime } from '../../../common/date-time';
import { EmptyState } from '../../../common/empty-state';
import { EventDetail } from '../history/event-detail';
import { historyQuery } from '../history/queries';
import { NoPermission } from '../no-permission';
import { useKeptPermission } from '../use-kept-permission';
import { useProcess } from '../use-process';

export function ProcessHistory() {
  const process = useProcess();
  return useKeptPermission(process, 'edit') ? <History pid={process.processID} /> : <NoPermission permission="edit" />;
}

/**
 * The audit events of the process that the account may see (`historyQuery`): who started or controlled its runs, how they ended, and who
 * changed its allowed vault keys.
 */
function History({ pid }: { pid: string }) {
  const { t } = useTranslation('processes');
  const { role } = useAccount();
  const history = useInfiniteQuery(historyQuery(pid));
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640}>
          {t('history.what')}
        </Text>
        {role === 'administrator' && (
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/company/audit" search={{ object: pid }} {...props} />}
          >
            {t('history.changes')}
          </Button>
        )}
      </Group>
      <DataTable
        label={t('tabs.history')}
        query={history}
        rows={(history.data?.pages ?? []).flatMap(({ events }) => events)}
        rowKey={({ at, action, instanceID, executor }) => `${at} ${action} ${instanceID} ${executor}`}
        columns={useColumns()}
        empty={<EmptyState title={t('history.empty')} text={t('history.emptyText')} />}
      />
    </Stack>
  );
}

function useColumns(): Column<AuditEventAnswer>[] {
  const { t } = useTranslation('processes');
  return [
    { key: 'at', title: t('history.at'), render: ({ at }) => <DateTime value={at} /> },
    {
      key: 'who',
      title: t('history.who'),
      render: ({ executor }) => <span style={{ overflowWrap: 'anywhere' }}>{executor || '–'}</span>,
    },
    {
      key: 'action',
      title: t('history.action'),
      render: ({ action }) => <span>{t(`history.actions.${action}`, { defaultValue: action })}</span>,
    },
    { key: 'how', title: t('history.how'), render: (event) => <EventDetail event={event} /> },
    {
      key: 'run',
      title: t('history.run'),
      render: ({ instanceID }) =>
        instanceID !== null && (
          <Anchor renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: instanceID }} {...props} />}>
            {t('history.open')}
          </Anchor>
        ),
    },
  ];
}
