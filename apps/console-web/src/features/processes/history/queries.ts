import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import { PAGE_SIZE } from '../../../api/pages';

/** Runs of the process and their control, newest first. */
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
