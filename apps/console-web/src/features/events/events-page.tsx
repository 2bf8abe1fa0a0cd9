import { Anchor, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { EventSubscriptionAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { PageHeader } from '../../common/page-header';
import { useFormats } from '../../i18n/formats';
import { subscriptionsQuery } from './queries';
import { AddSubscriptionDialog } from './subscription-dialogs';
import { SubscriptionState } from './subscription-state';
import { useProcessName } from './use-process-name';

/** For administrators: the event subscriptions of the company, each with the URL that gets the events. */
export function EventsPage() {
  const { t } = useTranslation('events');
  const [isAdding, adding] = useDisclosure(false);
  const query = useQuery(subscriptionsQuery);
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
      {t('add.open')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('what')}
        actions={
          <Group gap="xs">
            <Button variant="default" renderRoot={(props) => <Link to="/company" {...props} />}>
              {t('company')}
            </Button>
            {add}
          </Group>
        }
      />
      <DataTable
        label={t('title')}
        query={query}
        rows={query.data ?? []}
        rowKey={({ id }) => id}
        columns={useColumns()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
      />
      {isAdding && <AddSubscriptionDialog onClose={adding.close} />}
    </>
  );
}

function useColumns(): Column<EventSubscriptionAnswer>[] {
  const { t } = useTranslation('events');
  const formats = useFormats();
  const nameOf = useProcessName();
  return [
    {
      key: 'url',
      title: t('form.url'),
      render: ({ id, url }) => (
        <Anchor
          fw={500}
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => <Link to="/company/events/$id" params={{ id }} {...props} />}
        >
          {url}
        </Anchor>
      ),
    },
    { key: 'state', title: t('columns.state'), render: (subscription) => <SubscriptionState {...subscription} /> },
    {
      key: 'events',
      title: t('title'),
      render: ({ events }) => <span>{events.map((name) => t(`names.${name}`)).join(', ')}</span>,
    },
    {
      key: 'process',
      title: t('columns.process'),
      render: ({ processID }) => <span style={{ overflowWrap: 'anywhere' }}>{nameOf(processID)}</span>,
    },
    { key: 'waiting', title: t('columns.waiting'), render: ({ waiting }) => <span>{formats.number(waiting)}</span> },
    { key: 'dead', title: t('columns.dead'), render: ({ dead }) => <span>{formats.number(dead)}</span> },
    { key: 'success', title: t('columns.success'), render: ({ lastSuccessAt }) => <DateTime value={lastSuccessAt} /> },
  ];
}
