import { Anchor, Button, Code, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ManagementEventAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { NoMatches } from '../../common/no-matches';
import { PageHeader } from '../../common/page-header';
import { managementAction } from './audit-actions';
import { AuditFilterBar, useAuditFilterNames } from './audit-filter-bar';
import { actorText, eventDetailText } from './audit-text';
import { RoleText } from './person-state';
import { auditQuery, type AuditFilter } from './queries';

/** The page of the audit trail: the audit events of management of a company, such as logins and changes, for its administrators. */
export function AuditPage() {
  const { t } = useTranslation('company');
  const search = useSearch({ from: '/company/audit' });
  const filter = { ...search, action: managementAction(search.action) };
  const navigate = useNavigate({ from: '/company/audit' });
  const query = useInfiniteQuery(auditQuery(filter));
  const setFilter = (change: AuditFilter) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });
  const filters = useAuditFilterNames(filter);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <PageHeader
        title={t('audit.title')}
        description={t('audit.what')}
        actions={
          <Button variant="default" renderRoot={(props) => <Link to="/company" {...props} />}>
            {t('title')}
          </Button>
        }
      />
      <AuditFilterBar filter={filter} onChange={setFilter} />
      <DataTable
        label={t('audit.title')}
        query={query}
        rows={query.data?.pages.flatMap(({ events }) => events) ?? []}
        rowKey={({ id }) => id}
        columns={useColumns()}
        empty={
          isFiltered ? (
            <NoMatches
              title={t('audit.noneFound')}
              text={query.hasNextPage ? t('audit.searchOn') : undefined}
              filters={filters}
            />
          ) : (
            <EmptyState title={t('audit.empty')} text={t('audit.emptyText')} />
          )
        }
      />
    </>
  );
}

function useColumns(): Column<ManagementEventAnswer>[] {
  const { t } = useTranslation('company');
  return [
    { key: 'at', title: t('audit.at'), render: ({ at }) => <DateTime value={at} /> },
    { key: 'by', title: t('audit.by'), render: ({ by }) => <ActorText by={by} /> },
    { key: 'action', title: t('audit.action'), render: ({ action }) => <span>{t(`audit.actions.${action}`)}</span> },
    { key: 'object', title: t('audit.object'), render: (event) => <ObjectCell event={event} /> },
    { key: 'address', title: t('audit.address'), render: ({ address }) => <AddressText address={address} /> },
    {
      key: 'request',
      title: t('audit.request'),
      render: ({ requestID }) => <Code style={{ overflowWrap: 'anywhere' }}>{requestID ?? '–'}</Code>,
    },
  ];
}

/** An IPv4 address, which has at most 15 characters, stays on one line; a longer IPv6 address may break. */
function AddressText({ address }: Pick<ManagementEventAnswer, 'address'>) {
  return <span style={{ display: 'inline-block', minWidth: '15ch' }}>{address ?? '–'}</span>;
}

function ActorText({ by }: { by: ManagementEventAnswer['by'] }) {
  const { t } = useTranslation('company');
  if (by.kind === 'operator') return <RoleText role="operator" />;
  return <span style={{ overflowWrap: 'anywhere' }}>{actorText(by) || t('audit.unknown')}</span>;
}

/** The cell of the object: the detail of the event, and the object's id as a link to all its events. */
function ObjectCell({ event: { object, detail } }: { event: ManagementEventAnswer }) {
  const { t } = useTranslation('company');
  // A newer console may record items and words that these pages do not know.
  const nameOf = (item: string) => t(`audit.details.${item}`, { defaultValue: item });
  const wordOf = (word: string) => t(`audit.words.${word}`, { defaultValue: word });
  return (
    <div style={{ overflowWrap: 'anywhere', maxWidth: '24rem' }}>
      <Text size="sm">{eventDetailText(detail, nameOf, wordOf)}</Text>
      <Anchor
        size="xs"
        aria-label={`${t('audit.allOf')}: ${object}`}
        renderRoot={(props) => <Link to="/company/audit" search={{ object }} {...props} />}
      >
        {object}
      </Anchor>
    </div>
  );
}
