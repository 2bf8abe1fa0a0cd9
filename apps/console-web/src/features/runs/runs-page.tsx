import { Button, Group } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunAnswerItem } from '../../api/generated/console-api';
import { DataTable } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { NoMatches } from '../../common/no-matches';
import { PageHeader } from '../../common/page-header';
import { holdBack } from './held-back';
import { REFRESH_INTERVAL_MS, runsQuery } from './queries';
import { useRunColumns } from './run-columns';
import { isFiltered, type RunSearch } from './run-filter';
import { useRunFilterNames } from './run-filter-names';
import { RunsFilterBar } from './runs-filter-bar';

/** Number of pages without a match, the first one included, that are read automatically; after them the user decides whether to read on. */
const MAX_EMPTY_PAGES = 5;
/** Closer than this to the top of the page, new rows appear at once. */
const SHOW_AT_ONCE_DISTANCE_PX = 120;

const keyOf = ({ instanceID }: RunAnswerItem) => instanceID;

export function RunsPage() {
  const { t } = useTranslation('runs');
  const filter = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const setFilter = (change: RunSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });
  return (
    <>
      <PageHeader title={t('title')} description={t('what')} />
      <RunsFilterBar filter={filter} onChange={setFilter} />
      <RunsTable key={JSON.stringify(filter)} filter={filter} />
    </>
  );
}

function RunsTable({ filter }: { filter: RunSearch }) {
  const { t } = useTranslation('runs');
  const query = useInfiniteQuery({
    ...runsQuery(filter),
    // Each refresh reads all pages, so a long list is refreshed less often.
    refetchInterval: ({ state }) => REFRESH_INTERVAL_MS * (state.data?.pages.length ?? 1),
  });
  useFirstMatch(query);
  const filters = useRunFilterNames(filter);
  const rows = query.data?.pages.flatMap(({ runs }) => runs) ?? [];
  const { shown, waiting, showAll } = useHeldBackRows(rows);
  return (
    <>
      <Group
        justify="center"
        mb={waiting > 0 ? 'sm' : 0}
        aria-live="polite"
        style={{ position: 'sticky', top: 64, zIndex: 10 }}
      >
        {waiting > 0 && (
          <Button size="xs" leftSection={<IconArrowUp size={16} aria-hidden />} onClick={showAll}>
            {t('newRuns', { count: waiting })}
          </Button>
        )}
      </Group>
      <DataTable
        label={t('title')}
        query={query}
        rows={shown}
        rowKey={keyOf}
        columns={useRunColumns()}
        empty={
          isFiltered(filter) ? (
            <NoMatches title={t('noneFound')} text={query.hasNextPage ? t('searchOn') : undefined} filters={filters} />
          ) : (
            <EmptyState
              title={t('empty.title')}
              text={t('empty.text')}
              action={<Button renderRoot={(props) => <Link to="/processes" {...props} />}>{t('empty.action')}</Button>}
            />
          )
        }
      />
    </>
  );
}

/**
 * New rows appear at once while the window is scrolled to the top. Further down they are held back until the user clicks the button that
 * calls `showAll`, or is at the top when the next one arrives.
 */
function useHeldBackRows(rows: RunAnswerItem[]) {
  const [top, setTop] = useState<string>();
  const first = rows[0] && keyOf(rows[0]);
  // A layout effect runs before the page is drawn, so that rows are not hidden for one frame.
  useLayoutEffect(() => {
    if (window.scrollY <= SHOW_AT_ONCE_DISTANCE_PX) setTop(first);
    else setTop((before) => before ?? first);
  }, [first]);
  const showAll = () => {
    setTop(first);
    window.scrollTo({ top: 0 });
  };
  return { ...holdBack(rows, keyOf, top), showAll };
}

/**
 * Reads older pages until one has a match, MAX_EMPTY_PAGES have been read or an error arrives: the first page may have no match although older
 * pages have.
 */
function useFirstMatch(query: {
  data?: { pages: { runs: unknown[] }[] };
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage: () => unknown;
}) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isEmpty = data !== undefined && data.pages.every(({ runs }) => runs.length === 0);
  const wanted = isEmpty && hasNextPage && !isFetching && !isError && data.pages.length < MAX_EMPTY_PAGES;
  useEffect(() => {
    if (wanted) fetchNextPage();
  }, [wanted, fetchNextPage]);
}
