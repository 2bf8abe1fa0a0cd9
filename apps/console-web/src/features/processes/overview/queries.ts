import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import type { ProcessChange } from '../../../api/generated/console-api';

const pathOf = (pid: string) => ({ path: { pid } });

export const changeProcess = (pid: string, body: ProcessChange) =>
  answerTo(api.PATCH('/manage/v1/processes/{pid}', { params: pathOf(pid), body }));

export const removeProcess = (pid: string) =>
  answerTo(api.DELETE('/manage/v1/processes/{pid}', { params: pathOf(pid) }));

/** The names of the keys of its owner's vault that the process may use. */
export const allowedKeysQuery = (pid: string) =>
  queryOptions({
    queryKey: ['processes', 'vault-keys', pid],
    queryFn: ({ signal }) => readAllowedKeys(pid, signal),
  });

/** Reads the allowed vault keys past the cache. */
export const readAllowedKeys = async (pid: string, signal?: AbortSignal) =>
  (await answerTo(api.GET('/manage/v1/processes/{pid}/vault-keys', { params: pathOf(pid), signal }))).keys;

export const replaceAllowedKeys = async (pid: string, keys: string[]) =>
  (await answerTo(api.PUT('/manage/v1/processes/{pid}/vault-keys', { params: pathOf(pid), body: { keys } }))).keys;
