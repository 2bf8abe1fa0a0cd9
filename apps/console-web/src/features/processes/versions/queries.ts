import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';

/** The maximum length of an answer. */
const MAX_VERSIONS = 500;

const pathOf = (pid: string) => ({ path: { pid } });

export const versionKeys = {
  all: (pid: string) => ['processes', 'versions', pid] as const,
  list: (pid: string) => ['processes', 'versions', pid, 'list'] as const,
};

export const versionsQuery = (pid: string) =>
  queryOptions({
    queryKey: versionKeys.list(pid),
    queryFn: async ({ signal }) => {
      const params = { ...pathOf(pid), query: { limit: MAX_VERSIONS } };
      return (await answerTo(api.GET('/manage/v1/processes/{pid}/versions', { params, signal }))).versions;
    },
  });

/** A published version never changes. */
export const versionQuery = (pid: string, version: number) =>
  queryOptions({
    queryKey: [...versionKeys.all(pid), 'one', version],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      answerTo(
        api.GET('/manage/v1/processes/{pid}/versions/{version}', { params: { path: { pid, version } }, signal }),
      ),
  });

/** The saved flow with its current problems and warnings. */
export const developmentQuery = (pid: string) =>
  queryOptions({
    queryKey: [...versionKeys.all(pid), 'development'],
    staleTime: 0,
    queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/processes/{pid}/flow', { params: pathOf(pid), signal })),
  });

export const publish = (pid: string) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/publish', { params: pathOf(pid) }));
