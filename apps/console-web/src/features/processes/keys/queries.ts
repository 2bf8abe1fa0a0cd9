import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import type { KeyAnswer, KeyInput } from '../../../api/generated/console-api';
import { nextBefore, PAGE_SIZE } from '../../../api/pages';

export const keysQueryKey = (pid: string) => ['processes', 'keys', pid] as const;

/** The process keys, newest first, also revoked and expired ones while the console keeps them. */
export const keysQuery = (pid: string) =>
  infiniteQueryOptions({
    queryKey: keysQueryKey(pid),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: before, signal }) => {
      const params = { path: { pid }, query: { limit: PAGE_SIZE, before } };
      return (await answerTo(api.GET('/manage/v1/processes/{pid}/keys', { params, signal }))).keys;
    },
    getNextPageParam: nextBefore(({ id }: KeyAnswer) => id),
  });

/** Creates a process key; only this answer has its value. */
export const addKey = (pid: string, body: KeyInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/keys', { params: { path: { pid } }, body }));

/** Revokes a process key for ever. It is listed further. */
export const revokeKey = (id: string) => answerTo(api.DELETE('/manage/v1/keys/{id}', { params: { path: { id } } }));
