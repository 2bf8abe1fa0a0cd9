import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import { PAGE_SIZE } from '../../../api/pages';

/**
 * The audit events of the process in pages, newest first: starts, control and ends of its runs, and changes of its allowed vault keys. An account with
 * a share gets the events of its own calls, and those of the runs that it started.
 */
export const historyQuery = (pid: string) =>
  infiniteQueryOptions({
    queryKey: ['processes', 'history', pid],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const params = { path: { pid }, query: { limit: PAGE_SIZE, before } };
      return answerTo(api.GET('/manage/v1/processes/{pid}/audit', { params, signal }));
    },
    getNextPageParam: ({ older }) => older?.before,
  });
