import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { EnvironmentAnswer, EnvironmentChange, EnvironmentInput } from '../../api/generated/console-api';
import { CallError } from '../../api/error';
import { nextBefore, PAGE_SIZE } from '../../api/pages';

/** Interval at which environments and their agents are read again, because agents connect and disconnect by themselves. */
const AGENTS_REFRESH_INTERVAL_MS = 5_000;
/** The largest page of the API. */
const MAX_PAGE_SIZE = 500;

/** Every key of this feature begins with `environments`, so that a change can invalidate all of them. */
export const environmentKeys = {
  all: ['environments'] as const,
  list: ['environments', 'list'] as const,
  one: (id: string) => ['environments', 'one', id] as const,
  agents: (id: string) => ['environments', 'agents', id] as const,
};

/** The environments that the account owns and those that are shared with its company, newest first. */
export const environmentsQuery = infiniteQueryOptions({
  queryKey: environmentKeys.list,
  initialPageParam: undefined as string | undefined,
  refetchInterval: AGENTS_REFRESH_INTERVAL_MS,
  queryFn: async ({ pageParam: before, signal }) => {
    const params = { query: { limit: PAGE_SIZE, before } };
    return (await answerTo(api.GET('/manage/v1/environments', { params, signal }))).environments;
  },
  getNextPageParam: nextBefore(({ environmentID }: EnvironmentAnswer) => environmentID),
});

/**
 * Finds the environment in the first MAX_PAGE_SIZE of the list, because by default a company has no more environments than these. Throws CallError
 * with status 404 when it is not there.
 */
export async function readEnvironment(id: string, signal?: AbortSignal): Promise<EnvironmentAnswer> {
  const params = { query: { limit: MAX_PAGE_SIZE } };
  const { environments } = await answerTo(api.GET('/manage/v1/environments', { params, signal }));
  const found = environments.find(({ environmentID }) => environmentID === id);
  if (!found) throw new CallError(404, 'NOT_FOUND', '');
  return found;
}

export const environmentQuery = (id: string) =>
  queryOptions({
    queryKey: environmentKeys.one(id),
    queryFn: ({ signal }) => readEnvironment(id, signal),
    // Not while the environment could not be read: each try would replace the page that says so.
    refetchInterval: ({ state }) => (state.status === 'error' && !state.data ? false : AGENTS_REFRESH_INTERVAL_MS),
  });

/** The agents of an environment that are connected now, newest connection first, at most MAX_PAGE_SIZE. */
export const agentsQuery = (id: string) =>
  queryOptions({
    queryKey: environmentKeys.agents(id),
    refetchInterval: AGENTS_REFRESH_INTERVAL_MS,
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: MAX_PAGE_SIZE } };
      return (await answerTo(api.GET('/manage/v1/environments/{id}/agents', { params, signal }))).agents;
    },
  });

/** The public URLs of gateway and router, and the image of the agent: settings of the operator, which are read once. Router and image may be null. */
export const addressesQuery = queryOptions({
  queryKey: ['addresses'],
  staleTime: Infinity,
  queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/addresses', { signal })),
});

/** Adds an environment; only this answer has its activation key. */
export const addEnvironment = (body: EnvironmentInput) => answerTo(api.POST('/manage/v1/environments', { body }));

/** Changes the given fields. Only the owner may change them, but `shared` only an administrator. */
export const changeEnvironment = (id: string, body: EnvironmentChange) =>
  answerTo(api.PATCH('/manage/v1/environments/{id}', { params: { path: { id } }, body }));

/** Deletes an own environment. CONFLICT while it has queued or running runs; later starts in it are refused. */
export const removeEnvironment = (id: string) =>
  answerTo(api.DELETE('/manage/v1/environments/{id}', { params: { path: { id } } }));

/** Replaces the activation key of an own environment; only this answer has the new one. Agents with the old one are disconnected. */
export const rotateActivationKey = (id: string) =>
  answerTo(api.POST('/manage/v1/environments/{id}/rotate-key', { params: { path: { id } } }));
