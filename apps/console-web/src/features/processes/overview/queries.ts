import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import type { ProcessChange } from '../../../api/generated/console-api';

const pathOf = (pid: string) => ({ path: { pid } });

/** Changes the given fields at once, without a publication. */
export const changeProcess = (pid: string, body: ProcessChange) =>
  answerTo(api.PATCH('/manage/v1/processes/{pid}', { params: pathOf(pid), body }));

/** Deletes the process with its versions, keys, shares, webhooks and schedules. CONFLICT while it has queued or running runs; ended runs are kept. */
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

/** Replaces the whole list, at once also for the published version and for queued runs; only the owner may. The vault may lack a key. */
export const replaceAllowedKeys = async (pid: string, keys: string[]) =>
  (await answerTo(api.PUT('/manage/v1/processes/{pid}/vault-keys', { params: pathOf(pid), body: { keys } }))).keys;
