import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerTo, fetchOrFail, sessionApi } from './client';
import { CallError } from './error';
import type { OwnAccount } from './generated/console-api';

/**
 * The login session of the page: `none`, `one-time` while its one-time password must be changed first, or `account`.
 */
export type Session = { state: 'none' } | { state: 'one-time' } | { state: 'account'; account: OwnAccount };

/**
 * Read once in a page load, and again after a login on the login page, after every login with a one-time password, after the change of that
 * password or the logout in its place, and when the user comes back to one of these two pages. The header's logout loads the whole page again.
 */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: readSession, staleTime: Infinity });

/**
 * The headers must equal those of the preload in index.html, because browsers reuse a preloaded answer only for a call
 * with the same headers.
 */
const PRELOAD_HEADERS = { headers: { 'Content-Type': null } };

/** Reads the login session of the browser from the console. Throws CallError when the console cannot be reached or fails. */
export async function readSession(): Promise<Session> {
  try {
    return { state: 'account', account: await answerTo(sessionApi.GET('/manage/v1/me', PRELOAD_HEADERS)) };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.status === 401) return { state: 'none' };
    // Every role may make this call; the console refuses it only to a session that was opened with a one-time password.
    if (error.code === 'FORBIDDEN') return { state: 'one-time' };
    throw error;
  }
}

/**
 * The account that is logged in, as `sessionQuery` read it last: a later change, such as of its e-mail address, is not seen. Throws without
 * one, so only components that are shown after the login may use it.
 */
export function useAccount(): OwnAccount {
  const { data } = useQuery(sessionQuery);
  if (data?.state !== 'account') throw new Error('nobody is logged in');
  return data.account;
}

/** Opens a login session, whose cookie the browser keeps; `mustChangePassword` of the answer is true after a one-time password. */
export const logIn = (body: { email: string; password: string }) =>
  answerTo(sessionApi.POST('/manage/v1/session', { body }));

/** The e-mail address of the demo account; null unless the console runs under `npm start` and the browser is on the same machine. */
export const demoAccountQuery = queryOptions({
  queryKey: ['session', 'demo'],
  queryFn: async () => {
    const { email }: { email: string | null } = await callDemo('GET');
    return email;
  },
  staleTime: Infinity,
});

export const logInToDemo = (): Promise<unknown> => callDemo('POST');

/** These two routes are not in the API description, so the generated client lacks them. */
async function callDemo(method: string) {
  const response = await fetchOrFail(
    new Request('/manage/v1/session/demo', { method, headers: { 'Content-Type': 'application/json' } }),
  );
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw CallError.of(response, body);
  return body;
}

/** Ends the login session of this browser, for all its windows. */
export const logOut = () => answerTo(sessionApi.DELETE('/manage/v1/session'));

/** Replaces the one-time password; from then on this session may make the calls of its role, and other sessions of the account are ended. */
export const replaceOneTimePassword = (body: { currentPassword: string; newPassword: string }) =>
  answerTo(sessionApi.PUT('/manage/v1/session/password', { body }));
