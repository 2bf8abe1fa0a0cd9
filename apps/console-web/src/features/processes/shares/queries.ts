import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import type { PermissionsAnswer } from '../../../api/generated/console-api';

/** The maximum length of an answer. */
const MAX_SHARES = 500;

export const sharesOf = (pid: string) => ['processes', 'shares', pid] as const;

export const sharesQuery = (pid: string) =>
  queryOptions({
    queryKey: sharesOf(pid),
    queryFn: ({ signal }) => readShares(pid, signal),
  });

export const readShares = async (pid: string, signal?: AbortSignal) => {
  const params = { path: { pid }, query: { limit: MAX_SHARES } };
  return (await answerTo(api.GET('/manage/v1/processes/{pid}/shares', { params, signal }))).shares;
};

export const putShare = (pid: string, email: string, body: PermissionsAnswer) =>
  answerTo(api.PUT('/manage/v1/processes/{pid}/shares/{email}', { params: { path: { pid, email } }, body }));

export const removeShare = (pid: string, email: string) =>
  answerTo(api.DELETE('/manage/v1/processes/{pid}/shares/{email}', { params: { path: { pid, email } } }));
