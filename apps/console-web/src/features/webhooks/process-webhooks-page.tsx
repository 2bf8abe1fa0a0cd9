import { Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer, ProcessAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { StatusBadge } from '../../common/status-badge';
import { ProcessLink } from '../processes/process-link';
import { processQuery } from '../processes/queries';
import { UnreadableProcess } from '../processes/unreadable-process';
import { useKeptPermission } from '../processes/use-kept-permission';
import { AddOriginDialog } from './origin-dialogs';
import { originsQuery } from './queries';

export function ProcessWebhooksPage() {
  const { pid } = useParams({ from: '/processes/$pid/webhooks' });
  const process = useQuery(processQuery(pid));
  if (process.isPending) return <PendingRead failure={process.failureReason} height={60} />;
  if (!process.data) return <UnreadableProcess query={process} />;
  return <WebhooksOf process={process.data} />;
}

function WebhooksOf({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('webhooks');
  if (useKeptPermission(process, 'edit')) return <Origins process={process} />;
  return (
    <>
      <PageHeader title={t('title')} description={<ProcessLink process={process} />} />
      <EmptyState title={t('noAccess.title')} text={t('noAccess.text')} />
    </>
  );
}

function Origins({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('webhooks');
  const pid = process.processID;
  const [isAdding, adding] = useDisclosure(false);
  const query = useQuery(originsQuery(pid));
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
      {t('add.open')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} description={<ProcessLink process={process} />} actions={add} />
      <DataTable
        label={t('origins')}
        query={query}
        rows={query.data ?? []}
        rowKey={({ id }) => id}
        columns={useColumns()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
      />
      <AddOriginDialog pid={pid} opened={isAdding} onClose={adding.close} />
    </>
  );
}

function useColumns(): Column<OriginAnswer>[] {
  const { t } = useTranslation('webhooks');
  return [
    {
      key: 'name',
      title: t('columns.name'),
      render: ({ id, processID, name }) => (
        <Anchor
          fw={500}
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => (
            <Link to="/processes/$pid/webhooks/$oid" params={{ pid: processID, oid: id }} {...props} />
          )}
        >
          {name}
        </Anchor>
      ),
    },
    {
      key: 'state',
      title: t('columns.state'),
      render: ({ enabled }) => (
        <StatusBadge look={enabled ? 'good' : 'paused'}>{enabled ? t('enabled') : t('disabled')}</StatusBadge>
      ),
    },
    {
      key: 'mode',
      title: t('form.mode'),
      render: ({ responseMode, waitSeconds }) => (
        <Group gap={4}>
          <span>{t(`modes.${responseMode}`)}</span>
          {responseMode === 'Aguardar' && (
            <Text size="sm" c="dimmed">
              {t('upTo', { count: waitSeconds })}
            </Text>
          )}
        </Group>
      ),
    },
    {
      key: 'signature',
      title: t('form.signature'),
      render: ({ signature }) => (
        <span style={{ overflowWrap: 'anywhere' }}>{signature?.header ?? t('form.choices.none')}</span>
      ),
    },
  ];
}
