import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import { PAGE_SIZE } from '../../../api/pages';

const pathOf = (pid: string) => ({ path: { pid } });

export const versionKeys = {
  all: (pid: string) => ['processes', 'versions', pid] as const,
  list: (pid: string) => ['processes', 'versions', pid, 'list'] as const,
};

/** The published versions, newest first, without their flows. */
export const versionsQuery = (pid: string) =>
  infiniteQueryOptions({
    queryKey: versionKeys.list(pid),
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam: before, signal }) => {
      const params = { ...pathOf(pid), query: { limit: PAGE_SIZE, before } };
      return (await answerTo(api.GET('/manage/v1/processes/{pid}/versions', { params, signal }))).versions;
    },
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.version),
  });

/** A version with its flow. It is read once, because a published version never changes. */
export const versionQuery = (pid: string, version: number) =>
  queryOptions({
    queryKey: [...versionKeys.all(pid), 'one', version],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      answerTo(
        api.GET('/manage/v1/processes/{pid}/versions/{version}', { params: { path: { pid, version } }, signal }),
      ),
  });

/** The saved flow, which may not be published yet, with its current problems and warnings. */
export const developmentQuery = (pid: string) =>
  queryOptions({
    queryKey: [...versionKeys.all(pid), 'development'],
    staleTime: 0,
    queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/processes/{pid}/flow', { params: pathOf(pid), signal })),
  });

/** Publishes the saved flow, with the saved mappings, as a new version. Refused for a flow with problems, and while a mapping is unsaved. */
export const publish = (pid: string) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/publish', { params: pathOf(pid) }));
