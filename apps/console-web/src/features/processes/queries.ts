import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { ProcessInput, ProcessSummary } from '../../api/generated/console-api';
import { nextBefore } from '../../api/pages';

/** The maximum of the API, because the list is searched in the browser. */
const PAGE_SIZE = 500;

/** Every key of this feature begins with `processes`, so that a change can invalidate all of them. */
export const processKeys = {
  all: ['processes'] as const,
  list: ['processes', 'list'] as const,
  one: (pid: string) => ['processes', 'one', pid] as const,
};

export const processesQuery = infiniteQueryOptions({
  queryKey: processKeys.list,
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam: before, signal }) => {
    const params = { query: { limit: PAGE_SIZE, before } };
    return (await answerTo(api.GET('/manage/v1/processes', { params, signal }))).processes;
  },
  getNextPageParam: nextBefore(({ processID }: ProcessSummary) => processID, PAGE_SIZE),
});

export const processQuery = (pid: string) =>
  queryOptions({
    queryKey: processKeys.one(pid),
    queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/processes/{pid}', { params: { path: { pid } }, signal })),
  });

export const environmentChoicesQuery = queryOptions({
  queryKey: ['environments', 'choices'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: PAGE_SIZE } };
    return (await answerTo(api.GET('/manage/v1/environments', { params, signal }))).environments;
  },
});

export const addProcess = (body: ProcessInput) => answerTo(api.POST('/manage/v1/processes', { body }));
