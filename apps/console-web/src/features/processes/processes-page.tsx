import { Anchor, Button, Group, NativeSelect } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { itemsOf } from '../../api/pages';
import type { ProcessSummary } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { FilterTextField } from '../../common/filter-fields';
import { lazyPart, preloadProps } from '../../common/lazy-part';
import { NoMatches } from '../../common/no-matches';
import { PageHeader } from '../../common/page-header';
import { oneOf } from '../../common/search-params';
import { StatusBadge } from '../../common/status-badge';
import { matchesFilter } from './process-search';
import { PROCESS_STATES, STATE_LOOKS, processStateOf } from './process-state';
import { environmentChoicesQuery, processesQuery } from './queries';

// This page is often the first that a user opens, so its dialogs are loaded when they are needed.
const loadAdding = () => import('./add-process-dialog');
const loadImporting = () => import('./files/import-process');
const AddProcessDialog = lazyPart(async () => (await loadAdding()).AddProcessDialog);
const ImportProcessDialog = lazyPart(async () => (await loadImporting()).ImportProcessDialog);

export function ProcessesPage() {
  const { t } = useTranslation(['processes', 'common']);
  const filter = useSearch({ from: '/processes' });
  const navigate = useNavigate({ from: '/processes' });
  const [isAdding, adding] = useDisclosure(false);
  const [isImporting, importing] = useDisclosure(false);
  const query = useInfiniteQuery(processesQuery);
  const columns = useColumns();
  const isFiltered = filter.q !== undefined || filter.state !== undefined;
  useAllPages(query, isFiltered);
  const processes = itemsOf(query.data);
  const shown = processes.filter((process) => matchesFilter(process, filter));
  const setFilter = (change: typeof filter) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const actions = (
    <>
      <Button variant="default" onClick={importing.open} {...preloadProps(loadImporting)}>
        {t('files.import')}
      </Button>
      <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open} {...preloadProps(loadAdding)}>
        {t('add.open')}
      </Button>
    </>
  );
  return (
    <>
      <PageHeader title={t('title')} actions={actions} />
      <Group mb="md">
        <FilterTextField
          aria-label={t('search')}
          placeholder={t('search')}
          type="search"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={filter.q}
          onChange={(q) => setFilter({ q })}
        />
        <NativeSelect
          aria-label={t('state')}
          value={filter.state ?? ''}
          onChange={({ currentTarget }) => setFilter({ state: oneOf(PROCESS_STATES)(currentTarget.value) })}
          data={[
            { value: '', label: t('anyState') },
            ...PROCESS_STATES.map((value) => ({ value, label: t(`states.${value}`) })),
          ]}
        />
      </Group>
      <DataTable
        label={t('title')}
        query={query}
        rows={shown}
        rowKey={({ processID }) => processID}
        columns={columns}
        empty={
          isFiltered ? (
            <NoMatches
              title={t('noneFound')}
              filters={[
                [t('search'), filter.q],
                [t('state'), filter.state && t(`states.${filter.state}`)],
              ]}
              onClear={() => setFilter({ q: undefined, state: undefined })}
            />
          ) : (
            <EmptyState title={t('empty.title')} text={t('empty.text')} />
          )
        }
      />
      <Suspense fallback={null}>
        {isAdding && <AddProcessDialog onClose={adding.close} />}
        {isImporting && <ImportProcessDialog onClose={importing.close} />}
      </Suspense>
    </>
  );
}

function useColumns(): Column<ProcessSummary>[] {
  const { t } = useTranslation('processes');
  const environments = useQuery(environmentChoicesQuery);
  const nameOf = (id: string | null) => environments.data?.find(({ environmentID }) => environmentID === id)?.name;
  return [
    {
      key: 'name',
      title: t('columns.name'),
      render: ({ processID, processName }) => (
        <Anchor fw={500} renderRoot={(props) => <Link to="/processes/$pid" params={{ pid: processID }} {...props} />}>
          {processName}
        </Anchor>
      ),
    },
    {
      key: 'state',
      title: t('columns.state'),
      render: (process) => {
        const state = processStateOf(process);
        return <StatusBadge look={STATE_LOOKS[state]}>{t(`states.${state}`)}</StatusBadge>;
      },
    },
    {
      key: 'version',
      title: t('columns.version'),
      render: ({ currentVersion }) => <span>{currentVersion === 0 ? '–' : currentVersion}</span>,
    },
    {
      key: 'environment',
      title: t('columns.environment'),
      render: ({ environmentID }) => <span>{nameOf(environmentID) ?? '–'}</span>,
    },
    {
      key: 'owner',
      title: t('columns.owner'),
      render: ({ owned, ownerName }) => <span>{owned ? t('you') : ownerName || t('otherCompany')}</span>,
    },
  ];
}

/**
 * Reads all pages one after the other while `wanted` is true: a filter must also find processes on pages that were not read yet. After an error
 * the user decides whether to read on.
 */
function useAllPages(
  {
    hasNextPage,
    isFetching,
    isError,
    fetchNextPage,
  }: { hasNextPage: boolean; isFetching: boolean; isError: boolean; fetchNextPage: () => unknown },
  wanted: boolean,
) {
  useEffect(() => {
    if (wanted && hasNextPage && !isFetching && !isError) fetchNextPage();
  }, [wanted, hasNextPage, isFetching, isError, fetchNextPage]);
}
