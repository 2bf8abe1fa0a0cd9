import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import { chartPeriodOf, type Period } from './chart-points';
import { exampleFlow, type ExampleTexts } from './example-flow';

const REFRESH_INTERVAL_MS = 10_000;
const FIRST_RUN_REFRESH_INTERVAL_MS = 3_000;
const STATISTICS_REFRESH_INTERVAL_MS = 60_000;
/** The largest page of the API. */
const MAX_PAGE_SIZE = 500;

/** The data of the dashboard: what runs, waits or failed today, with bounded lists, the environments and the credits of the company. */
export const homeQuery = queryOptions({
  queryKey: ['home'],
  refetchInterval: REFRESH_INTERVAL_MS,
  queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/home', { signal })),
});

/** Whether the account can see any run; queried again until it can. */
export const hasRunQuery = queryOptions({
  queryKey: ['home', 'has-run'],
  staleTime: ({ state }) => (state.data === true ? Infinity : 0),
  refetchInterval: ({ state }) => (state.data === false ? FIRST_RUN_REFRESH_INTERVAL_MS : false),
  queryFn: async ({ signal }): Promise<boolean> => {
    const { runs, older } = await answerTo(api.GET('/manage/v1/runs', { params: { query: { limit: 1 } }, signal }));
    return runs.length > 0 || older !== undefined;
  },
});

/** The ended runs of the own processes in the period, by the hour or day of their start, without debug runs. */
export const statisticsQuery = (period: Period) =>
  queryOptions({
    queryKey: ['home', 'statistics', period],
    staleTime: STATISTICS_REFRESH_INTERVAL_MS,
    refetchInterval: STATISTICS_REFRESH_INTERVAL_MS,
    queryFn: async ({ signal }) => {
      const { from, to, by } = chartPeriodOf(period, new Date());
      const query = { from: from.toISOString(), to: to.toISOString(), by };
      return answerTo(api.GET('/manage/v1/statistics', { params: { query }, signal }));
    },
  });

/** Creates the example process and publishes it. Reuses a process of this name that an earlier attempt left unpublished. */
export async function publishExample({ environmentID, texts }: { environmentID: string; texts: ExampleTexts }) {
  const { processes } = await answerTo(
    api.GET('/manage/v1/processes', { params: { query: { limit: MAX_PAGE_SIZE } } }),
  );
  const left = processes.find(
    ({ processName, currentVersion, owned }) => owned && currentVersion === 0 && processName === texts.processName,
  );
  const { flow, matrix } = exampleFlow(texts);
  const body = { processName: texts.processName, environmentID, matrix };
  const pid = left?.processID ?? (await answerTo(api.POST('/manage/v1/processes', { body }))).processID;
  const params = { path: { pid } };
  await answerTo(api.PUT('/manage/v1/processes/{pid}/flow', { params, body: flow }));
  await answerTo(api.POST('/manage/v1/processes/{pid}/publish', { params }));
}

/** Starts the published version by hand, which costs a credit. */
export const runExample = ({ pid, environmentID }: { pid: string; environmentID: string }) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/run', { params: { path: { pid } }, body: { environmentID } }));
