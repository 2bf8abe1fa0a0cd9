import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { CredentialAnswer, CredentialInput, PasswordChange } from '../../api/generated/console-api';
import { nextBefore, PAGE_SIZE } from '../../api/pages';

/** Query keys of TanStack Query (not secrets): a change invalidates the queries under its key. */
export const credentialQueryKeys = { all: ['credentials'] as const };
export const vaultQueryKeys = { all: ['vault'] as const };

/** The credentials of the account itself, newest first, also revoked and expired ones while the console keeps them. */
export const credentialsQuery = infiniteQueryOptions({
  queryKey: credentialQueryKeys.all,
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam: before, signal }) => {
    const params = { query: { limit: PAGE_SIZE, before } };
    return (await answerTo(api.GET('/manage/v1/credentials', { params, signal }))).credentials;
  },
  getNextPageParam: nextBefore(({ id }: CredentialAnswer) => id),
});

/** The names of the secrets of the vault; no call reads their values. */
export const vaultQuery = queryOptions({
  queryKey: vaultQueryKeys.all,
  queryFn: async ({ signal }) => (await answerTo(api.GET('/manage/v1/vault', { signal }))).keys,
});

/** Makes a credential; only this answer has its value. */
export const addCredential = (body: CredentialInput) => answerTo(api.POST('/manage/v1/credentials', { body }));

/** Revokes a credential for ever. It is listed further. */
export const revokeCredential = (id: string) =>
  answerTo(api.DELETE('/manage/v1/credentials/{id}', { params: { path: { id } } }));

/** Adds a secret to the vault, or replaces the value of the secret with this name. */
export const putSecret = ({ key, value }: { key: string; value: string }) =>
  answerTo(api.PUT('/manage/v1/vault/{key}', { params: { path: { key } }, body: { value } }));

/** Deletes a secret of the vault. Processes that were allowed to use its name keep that permission. */
export const removeSecret = (key: string) =>
  answerTo(api.DELETE('/manage/v1/vault/{key}', { params: { path: { key } } }));

/**
 * Changes the password of the account and ends its other sessions; waits for a login if this session has ended. `replaceOneTimePassword`, which
 * makes the same call after a login with a one-time password, does not wait.
 */
export const changeOwnPassword = (body: PasswordChange) => answerTo(api.PUT('/manage/v1/session/password', { body }));
