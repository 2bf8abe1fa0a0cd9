import { Anchor, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ProcessSummary } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { PageHeader } from '../../common/page-header';
import { StatusBadge } from '../../common/status-badge';
import { processesQuery } from '../processes/queries';

/** The list of processes, each with a link to its webhooks. */
export function WebhooksPage() {
  const { t } = useTranslation('webhooks');
  const query = useInfiniteQuery(processesQuery);
  return (
    <>
      <PageHeader title={t('title')} description={t('what')} />
      <DataTable
        label={t('choose')}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ processID }) => processID}
        columns={useColumns()}
        empty={
          <EmptyState
            title={t('noProcess.title')}
            text={t('noProcess.text')}
            action={
              <Anchor underline="always" renderRoot={(props) => <Link to="/processes" {...props} />}>
                {t('noProcess.open')}
              </Anchor>
            }
          />
        }
      />
    </>
  );
}

function useColumns(): Column<ProcessSummary>[] {
  const { t } = useTranslation('webhooks');
  return [
    {
      key: 'name',
      title: t('choose'),
      render: ({ processID, processName }) => (
        <Anchor
          fw={500}
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => <Link to="/processes/$pid/webhooks" params={{ pid: processID }} {...props} />}
        >
          {processName}
        </Anchor>
      ),
    },
    { key: 'origins', title: t('origins'), render: ({ origins }) => <Origins origins={origins} /> },
    {
      key: 'version',
      title: t('columns.version'),
      render: ({ currentVersion }) => <span>{currentVersion === 0 ? '–' : currentVersion}</span>,
    },
  ];
}

/** How many origins of a process are on and off; unknown to an account that may not edit the process, and with a console of the previous release. */
function Origins({ origins }: Pick<ProcessSummary, 'origins'>) {
  const { t } = useTranslation('webhooks');
  if (!origins) return <span>–</span>;
  const { total, enabled } = origins;
  if (total === 0) return <span>{t('counts.none')}</span>;
  const off = total - enabled;
  return (
    <Group gap={4}>
      {enabled > 0 && <StatusBadge look="good">{t('counts.on', { count: enabled })}</StatusBadge>}
      {off > 0 && <StatusBadge look="paused">{t('counts.off', { count: off })}</StatusBadge>}
    </Group>
  );
}
