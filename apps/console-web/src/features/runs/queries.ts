import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { ControlDone, RerunInput } from '../../api/generated/console-api';
import { toQuery, type RunSearch } from './run-filter';
import type { NumberedLogLine } from './run-log';

const RUNS_PER_PAGE = 50;
/** The list is read again after this time, multiplied by the number of its pages that were read so far. */
export const REFRESH_INTERVAL_MS = 5_000;

/** Every key of this feature begins with `runs`, so that a change can invalidate all of them. */
export const runKeys = {
  all: ['runs'] as const,
  list: (filter: RunSearch) => ['runs', 'list', filter] as const,
  details: (iid: string) => ['runs', 'details', iid] as const,
  /** The debug run that the flow editor shows. */
  debug: (iid: string | undefined) => ['runs', 'debug', iid] as const,
};

/** The runs of the own processes, and those that the account started in shared ones, newest first. A page may have no run and still have `older`. */
export const runsQuery = (filter: RunSearch) =>
  infiniteQueryOptions({
    queryKey: runKeys.list(filter),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const params = { query: { ...toQuery(filter), limit: RUNS_PER_PAGE, before } };
      return answerTo(api.GET('/manage/v1/runs', { params, signal }));
    },
    getNextPageParam: ({ older }) => older?.before,
  });

/** A run with the values of its start and the name of its agent, where they are known. */
export const detailsQuery = (iid: string) =>
  queryOptions({
    queryKey: runKeys.details(iid),
    queryFn: ({ signal }) =>
      answerTo(api.GET('/manage/v1/instances/{iid}/details', { params: { path: { iid } }, signal })),
  });

/** Reads the `limit` lines before the line with the number `before`, or fewer at the beginning of the log. */
export const readOlderLines = (iid: string, before: number, limit: number) =>
  answerTo(api.GET('/manage/v1/instances/{iid}/logs', { params: { path: { iid }, query: { before, limit } } }));

/**
 * Reads the newest `limit` lines, with their numbers, the oldest of them first. `older.before` of the answer is the number of the first line;
 * `older` is absent when that is line 1.
 */
export const readNewestLines = async (iid: string, limit: number): Promise<NumberedLogLine[]> => {
  const params = { path: { iid }, query: { limit } };
  const { logs, older } = await answerTo(api.GET('/manage/v1/instances/{iid}/logs', { params }));
  const first = older?.before ?? 1;
  return logs.map((line, index) => ({ ...line, number: first + index }));
};

export type ControlAction = ControlDone['action'];

/**
 * Asks for a pause, resume or stop of a run, and does not wait until the agent has done it. Refused after the end of the run, and where the action
 * does not fit, such as a pause of a queued run.
 */
export const controlRun = ({ iid, action }: { iid: string; action: ControlAction }) =>
  answerTo(api.POST('/manage/v1/instances/{iid}/{action}', { params: { path: { iid, action } } }));

/**
 * Starts the published version of the process with the values of a run, some of which `matrix` replaces; costs a credit of the company that
 * owns it. `matrix` must have the Secretos that had a value.
 */
export const rerun = ({ iid, ...body }: RerunInput & { iid: string }) =>
  answerTo(api.POST('/manage/v1/instances/{iid}/rerun', { params: { path: { iid } }, body }));
