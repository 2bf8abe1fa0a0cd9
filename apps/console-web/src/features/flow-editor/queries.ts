import { queryOptions } from '@tanstack/react-query';
import { answerTo, api, ifMatch, taggedAnswerTo } from '../../api/client';

const pathOf = (pid: string) => ({ path: { pid } });

/** The flow with its problems, read once when the editor opens: from then on the editor's store has the flow. */
export const flowQuery = (pid: string) =>
  queryOptions({
    queryKey: ['flow', pid],
    queryFn: () => answerTo(api.GET('/manage/v1/processes/{pid}/flow', { params: pathOf(pid) })),
    staleTime: Infinity,
    gcTime: 0,
  });

/** Reads the stored flow and its entity tag, past the cache. */
export const readFlow = async (pid: string) => {
  const { answer, tag } = await taggedAnswerTo(api.GET('/manage/v1/processes/{pid}/flow', { params: pathOf(pid) }));
  return { flow: answer.flow, tag };
};

/** The step types, each with the JSON Schema of its steps and the variables that they set. Only a release changes them, so they are read once. */
export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: async ({ signal }) => (await answerTo(api.GET('/manage/v1/connectors', { signal }))).connectors,
  staleTime: Infinity,
});

/** `tag` = the entity tag of the stored flow that the new one replaces. Rejects with a `CallError` that `isOutdated` if another flow is stored. */
export const saveFlow = (pid: string, flow: unknown, tag: string | undefined) =>
  answerTo(
    api.PUT('/manage/v1/processes/{pid}/flow', {
      params: { ...pathOf(pid), ...ifMatch(tag) },
      body: Object(flow),
    }),
  );

/** Publishes the stored flow, with the saved mappings, as a new version. Refused for a flow with problems, and while a mapping is unsaved. */
export const publishFlow = (pid: string) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/publish', { params: pathOf(pid) }));

/** Asks the API for the problems of a flow that is not saved. */
export const checkFlow = (pid: string, flow: unknown) =>
  answerTo(
    api.POST('/manage/v1/processes/{pid}/flow/check', {
      params: pathOf(pid),
      body: Object(flow),
    }),
  );

/** The newest published version with its flow; null while none is published. */
export const publishedQuery = (pid: string) =>
  queryOptions({
    queryKey: ['flow', pid, 'published'],
    queryFn: async ({ signal }): Promise<{ version: number; flow: unknown } | null> => {
      const params = { ...pathOf(pid), query: { limit: 1 } };
      const { versions } = await answerTo(api.GET('/manage/v1/processes/{pid}/versions', { params, signal }));
      const [newest] = versions;
      if (!newest) return null;
      const { version } = newest;
      const path = { pid, version };
      return answerTo(
        api.GET('/manage/v1/processes/{pid}/versions/{version}', {
          params: { path },
          signal,
        }),
      );
    },
  });
