import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import { CallError } from '../../../api/error';
import type { PermissionsAnswer, ShareAnswer } from '../../../api/generated/console-api';
import { PAGE_SIZE } from '../../../api/pages';

export const sharesQueryKey = (pid: string) => ['processes', 'shares', pid] as const;

/** The shares of the process and its invitations together, newest first. */
export const sharesQuery = (pid: string) =>
  infiniteQueryOptions({
    queryKey: sharesQueryKey(pid),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const params = { path: { pid }, query: { limit: PAGE_SIZE, before } };
      return answerTo(api.GET('/manage/v1/processes/{pid}/shares', { params, signal }));
    },
    getNextPageParam: ({ older }) => older?.before,
  });

/** The share, or invitation, of an e-mail address; undefined when the process is not shared with it. */
export async function readShareIfAny(pid: string, email: string): Promise<ShareAnswer | undefined> {
  const read = api.GET('/manage/v1/processes/{pid}/shares/{email}', { params: { path: { pid, email } } });
  return answerTo(read).catch((error: unknown) => {
    if (error instanceof CallError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

/** Shares the process with an e-mail address, or replaces the permissions of its share. An address without an account gets an invitation. */
export const putShare = (pid: string, email: string, body: PermissionsAnswer) =>
  answerTo(api.PUT('/manage/v1/processes/{pid}/shares/{email}', { params: { path: { pid, email } }, body }));

/** Ends a share, or withdraws an invitation. */
export const removeShare = (pid: string, email: string) =>
  answerTo(api.DELETE('/manage/v1/processes/{pid}/shares/{email}', { params: { path: { pid, email } } }));
