import { useState } from 'react';
import type { ListQuery } from './data-table';

const PAGE_SIZE = 50;

/** Divides into pages a list that the API returns as a whole: `rows` are the first PAGE_SIZE, and each `fetchNextPage` shows as many more. */
export function useRowsShown<Row>(
  query: Pick<ListQuery, 'isPending' | 'error' | 'failureReason' | 'refetch'>,
  rows: readonly Row[],
): { query: ListQuery; rows: Row[] } {
  const [count, setCount] = useState(PAGE_SIZE);
  return {
    query: {
      isPending: query.isPending,
      error: query.error,
      failureReason: query.failureReason,
      refetch: query.refetch,
      hasNextPage: rows.length > count,
      fetchNextPage: () => setCount((before) => before + PAGE_SIZE),
    },
    rows: rows.slice(0, count),
  };
}
