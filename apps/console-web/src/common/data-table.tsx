import { Button, Card, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from './error-message';
import { useNarrowScreen } from './narrow-screen';
import { RepeatedRead } from './pending-read';

const SKELETON_ROWS = 5;

export interface Column<Row> {
  key: string;
  title: string;
  /** False, null or undefined = an empty cell. The table leaves out a column whose cells are all empty; a card leaves out each empty cell. */
  render: (row: Row) => ReactNode;
}

/** The part of the results of `useQuery` and `useInfiniteQuery` that a list uses. */
export interface ListQuery {
  isPending: boolean;
  /** The error of the last read; the rows of an earlier read are shown below it. */
  error: Error | null;
  /** The error of a read that is being repeated. */
  failureReason?: Error | null;
  refetch: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  /** `paused` = the read waits until the console can be reached again. */
  fetchStatus?: 'fetching' | 'paused' | 'idle';
  /** Whether `error` is that of reading the next page. */
  isFetchNextPageError?: boolean;
  fetchNextPage?: () => unknown;
}

interface DataTableProps<Row> {
  /** Names the table or the list of cards for screen readers. */
  label: string;
  query: ListQuery;
  rows: Row[];
  rowKey: (row: Row) => string;
  /** The first column identifies the row: it is the header of the row, and of its card on a narrow screen; put the link to the page of the row there. */
  columns: Column<Row>[];
  /** Shown when the list was read without an error and has no row: an EmptyState or NoMatches. */
  empty: ReactNode;
}

/** A list, with a button that reads the next page where there is one. A narrow screen shows rows as cards, a wider one as a table. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { t } = useTranslation();
  const isNarrow = useNarrowScreen();
  const { query, rows, empty } = props;
  const isOfNextPage = useNextPageError(query);
  if (query.isPending) return <TableSkeleton failure={query.failureReason} />;
  return (
    <Stack>
      {query.error && !isOfNextPage && (
        <Stack align="flex-start">
          <ErrorMessage error={query.error} />
          <Button variant="default" onClick={() => void query.refetch()}>
            {t('actions.tryAgain')}
          </Button>
        </Stack>
      )}
      {rows.length === 0 ? !query.error && empty : isNarrow ? <Cards {...props} /> : <Rows {...props} />}
      {query.error && isOfNextPage && <ErrorMessage error={query.error} />}
      {query.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage?.()}>
            {t('actions.loadMore')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/**
 * Whether the error of the list is that of reading its next page. It is shown at the button that read it: above a long list nobody would see it, and
 * the rows would move. The answer stays the same while the list or its next page is read again.
 */
function useNextPageError({ error, isFetchNextPageError = false, fetchStatus }: ListQuery): boolean {
  const [known, setKnown] = useState<Error | null>(null);
  // While the read of the next page is in progress or paused, the query says `isFetchNextPageError` of an earlier error as well, also of one of reading
  // the whole list.
  const isNew = isFetchNextPageError && fetchStatus === 'idle';
  if (isNew && error !== known) setKnown(error);
  return error !== null && (isNew || error === known);
}

function Rows<Row>({ label, rows, rowKey, columns: all }: DataTableProps<Row>) {
  const columns = all.filter(({ render }) => rows.some((row) => hasContent(render(row))));
  return (
    <Table.ScrollContainer minWidth={560} type="native" tabIndex={0}>
      <Table highlightOnHover verticalSpacing="sm" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ key, title }) => (
              <Table.Th key={key} scope="col">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ key, render }) =>
                key === all[0]?.key ? (
                  <Table.Th key={key} scope="row" fw="normal">
                    {render(row)}
                  </Table.Th>
                ) : (
                  <Table.Td key={key}>{render(row)}</Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cards<Row>({ label, rows, rowKey, columns }: DataTableProps<Row>) {
  const [first, ...others] = columns;
  return (
    <Stack component="ul" gap="xs" p={0} m={0} aria-label={label} style={{ listStyle: 'none' }}>
      {rows.map((row) => (
        <Card component="li" key={rowKey(row)} withBorder p="sm">
          <Stack gap={6}>
            {first?.render(row)}
            {cellsOf(row, others).map(({ key, title, cell }) => (
              <Group key={key} justify="space-between" gap="xs" align="flex-start" wrap="nowrap">
                <Text size="sm" c="dimmed" className="card-label">
                  {title}
                </Text>
                <div className="card-value">{cell}</div>
              </Group>
            ))}
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}

/** False for the cell of a row that has nothing for the column, such as actions that it does not allow. */
function hasContent(cell: ReactNode): boolean {
  return cell !== false && cell !== null && cell !== undefined;
}

function cellsOf<Row>(row: Row, columns: Column<Row>[]) {
  const cells = columns.map(({ key, title, render }) => ({ key, title, cell: render(row) }));
  return cells.filter(({ cell }) => hasContent(cell));
}

function TableSkeleton({ failure }: { failure?: Error | null }) {
  return (
    <Stack>
      <RepeatedRead failure={failure} />
      <Stack role="status" aria-busy="true">
        {Array.from({ length: SKELETON_ROWS }, (_, index) => (
          <Skeleton key={index} height={40} />
        ))}
      </Stack>
    </Stack>
  );
}
