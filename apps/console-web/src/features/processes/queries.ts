import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { ProcessInput, ProcessSummary } from '../../api/generated/console-api';
import { nextBefore, readAllPages } from '../../api/pages';

/** The maximum of the API: few calls read all processes, which the browser searches. */
const PAGE_SIZE = 500;

/** Query keys. Every key of this feature begins with `processes`, so that a change can invalidate all of them by `all`. */
export const processQueryKeys = {
  all: ['processes'] as const,
  list: ['processes', 'list'] as const,
  one: (pid: string) => ['processes', 'one', pid] as const,
};

/**
 * The first parts of the keys of all queries whose answers name processes: a process that gets another name or is deleted makes them out of
 * date. Those of other features are written out, because an import of these features would make the first load larger.
 */
const NAMING_KEYS = [processQueryKeys.list, ['processes', 'choices'], ['schedules'], ['runs'], ['home'], ['events']];

/** Makes the lists and choices that name processes out of date, and reads those again that are shown. */
export const refreshProcessNames = (queryClient: QueryClient) =>
  Promise.all(NAMING_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

const idOf = ({ processID }: ProcessSummary) => processID;

async function readProcesses(before: string | undefined, signal: AbortSignal): Promise<ProcessSummary[]> {
  const params = { query: { limit: PAGE_SIZE, before } };
  return (await answerTo(api.GET('/manage/v1/processes', { params, signal }))).processes;
}

/** Own and shared processes, in pages. */
export const processesQuery = infiniteQueryOptions({
  queryKey: processQueryKeys.list,
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam: before, signal }) => readProcesses(before, signal),
  getNextPageParam: nextBefore(idOf, PAGE_SIZE),
});

/** All own and shared processes, for a field in which the user chooses a process. */
export const processChoicesQuery = queryOptions({
  queryKey: ['processes', 'choices'],
  queryFn: ({ signal }) => readAllPages((before) => readProcesses(before, signal), idOf, PAGE_SIZE),
});

/** Reads an own or shared process with its Matrix, past the cache. */
export const readProcess = (pid: string, signal?: AbortSignal) =>
  answerTo(api.GET('/manage/v1/processes/{pid}', { params: { path: { pid } }, signal }));

export const processQuery = (pid: string) =>
  queryOptions({ queryKey: processQueryKeys.one(pid), queryFn: ({ signal }) => readProcess(pid, signal) });

/** The environments that the account reaches, at most PAGE_SIZE of them, for a field in which the user chooses an environment. */
export const environmentChoicesQuery = queryOptions({
  queryKey: ['environments', 'choices'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: PAGE_SIZE } };
    return (await answerTo(api.GET('/manage/v1/environments', { params, signal }))).environments;
  },
});

/** Adds a process of the account, without a flow. */
export const addProcess = (body: ProcessInput) => answerTo(api.POST('/manage/v1/processes', { body }));
