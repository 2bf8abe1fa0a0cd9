import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer, VersionAnswer } from '../../../api/generated/console-api';
import { itemsOf } from '../../../api/pages';
import { DataTable, type Column } from '../../../common/data-table';
import { DateTime } from '../../../common/date-time';
import { EmptyState } from '../../../common/empty-state';
import { StatusBadge } from '../../../common/status-badge';
import { hasPermission } from '../process-access';
import { useProcess } from '../use-process';
import { CompareVersions } from '../versions/compare-versions';
import { PublishDialog } from '../versions/publish-dialog';
import { versionsQuery } from '../versions/queries';

export function ProcessVersions() {
  const { t } = useTranslation('processes');
  const process = useProcess();
  const pid = process.processID;
  const [isPublishing, publishing] = useDisclosure(false);
  const versions = useInfiniteQuery(versionsQuery(pid));
  const rows = itemsOf(versions.data);
  const editable = hasPermission(process, 'edit');
  const publish = editable && <Button onClick={publishing.open}>{t('versions.publish')}</Button>;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640}>
          {t('versions.what')}
        </Text>
        {publish}
      </Group>
      <DataTable
        label={t('tabs.versions')}
        query={versions}
        rows={rows}
        rowKey={({ version }) => String(version)}
        columns={useColumns(process)}
        empty={<EmptyState title={t('versions.empty')} text={t('versions.emptyText')} />}
      />
      {editable && rows.length > 0 && (
        <section aria-label={t('versions.compare')}>
          <Title order={2} size="h3" mb="xs">
            {t('versions.compare')}
          </Title>
          <CompareVersions pid={pid} newest={rows[0]?.version ?? 0} />
        </section>
      )}
      <PublishDialog pid={pid} opened={isPublishing} onClose={publishing.close} />
    </Stack>
  );
}

function useColumns(process: ProcessAnswer): Column<VersionAnswer>[] {
  const { t } = useTranslation('processes');
  const { processID: pid, currentVersion } = process;
  const view: Column<VersionAnswer> = {
    key: 'view',
    title: t('versions.flow'),
    render: ({ version }) => (
      <Button
        size="xs"
        variant="default"
        aria-label={`${t('versions.view')}: ${t('versions.numbered', { version })}`}
        renderRoot={(props) => (
          <Link to="/processes/$pid/versions/$version" params={{ pid, version: String(version) }} {...props} />
        )}
      >
        {t('versions.view')}
      </Button>
    ),
  };
  return [
    {
      key: 'version',
      title: t('columns.version'),
      render: ({ version }) => (
        <Group gap="xs">
          <Text fw={500}>{t('versions.numbered', { version })}</Text>
          {version === currentVersion && <StatusBadge look="good">{t('versions.inUse')}</StatusBadge>}
        </Group>
      ),
    },
    { key: 'at', title: t('versions.at'), render: ({ publishedAt }) => <DateTime value={publishedAt} /> },
    { key: 'by', title: t('versions.by'), render: ({ publishedBy }) => <span>{publishedBy || '–'}</span> },
    ...(hasPermission(process, 'edit') ? [view] : []),
  ];
}
