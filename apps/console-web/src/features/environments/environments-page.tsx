import { Anchor, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { EnvironmentAnswer } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { PageHeader } from '../../common/page-header';
import { AddEnvironmentDialog } from './add-environment-dialog';
import { OnlineBadge } from './online-badge';
import { environmentsQuery } from './queries';

export function EnvironmentsPage() {
  const { t } = useTranslation('environments');
  const [isAdding, adding] = useDisclosure(false);
  const query = useInfiniteQuery(environmentsQuery);
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
      {t('add.open')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} description={t('what')} actions={add} />
      <DataTable
        label={t('title')}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ environmentID }) => environmentID}
        columns={useColumns()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
      />
      {isAdding && <AddEnvironmentDialog onClose={adding.close} />}
    </>
  );
}

function useColumns(): Column<EnvironmentAnswer>[] {
  const { t } = useTranslation('environments');
  return [
    {
      key: 'name',
      title: t('columns.name'),
      render: ({ environmentID, name }) => (
        <Anchor
          fw={500}
          renderRoot={(props) => <Link to="/environments/$id" params={{ id: environmentID }} {...props} />}
        >
          {name}
        </Anchor>
      ),
    },
    { key: 'online', title: t('columns.agents'), render: ({ online }) => <OnlineBadge online={online} /> },
    { key: 'capacity', title: t('columns.capacity'), render: ({ capacity }) => <span>{capacity}</span> },
    {
      key: 'type',
      title: t('columns.type'),
      render: ({ envType }) => <span>{t(`types.${envType}`, { defaultValue: envType })}</span>,
    },
    {
      key: 'owner',
      title: t('columns.owner'),
      render: ({ owned, shared }) => <span>{owned ? (shared ? t('sharedByYou') : t('yours')) : t('ofCompany')}</span>,
    },
  ];
}
