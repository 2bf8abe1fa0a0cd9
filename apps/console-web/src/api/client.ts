import createClient from 'openapi-fetch';
import { checkConnection } from './connection';
import { CallError } from './error';
import type { paths } from './generated/console-api';
import { awaitLogin } from './session-gate';

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/**
 * The browser sends the session cookie. Calls without a body have the JSON content type as well: it shows the console
 * that no form of another site made the call.
 */
const options = { baseUrl: globalThis.location?.origin, headers: JSON_HEADERS };

/** A call that is answered 401 waits for a new login, however long it takes, and is repeated: the refused call has changed nothing. */
export const api = createClient<paths>({ ...options, fetch: fetchWithLogin });

/**
 * The client for calls that read, open or end the login session, or change its one-time password; a 401 of these calls opens no login dialog.
 */
export const sessionApi = createClient<paths>({ ...options, fetch: fetchOrFail });

async function fetchWithLogin(request: Request): Promise<Response> {
  const repeatable = request.clone();
  const response = await fetchOrFail(request);
  if (response.status !== 401) return response;
  await awaitLogin();
  return fetchWithLogin(repeatable);
}

/** Resolves to an answer with any status. Throws a CallError UNREACHABLE when no answer arrives, and the AbortError of a call that was aborted. */
export async function fetchOrFail(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    // An aborted query is not an outage.
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    checkConnection();
    throw CallError.unreachable(error);
  }
}

/**
 * The body of a call's answer, as by `answerTo`, with its `ETag`, which a save sends as `If-Match`. `tag` is undefined for a console of the
 * previous release, which sends none.
 */
export async function taggedAnswerTo<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<{ answer: NonNullable<Body>; tag: string | undefined }> {
  const answer = await answerTo(call);
  return { answer, tag: (await call).response.headers.get('etag') ?? undefined };
}

/** The header `If-Match` of a save: the console replaces the stored state only if it still has this tag. Without a tag it always does. */
export const ifMatch = (tag: string | undefined) => (tag === undefined ? {} : { header: { 'If-Match': tag } });

/** The body of a call's answer. Throws CallError for a refusal, and for an answer without a body; passes on the errors of `fetchOrFail`. */
export async function answerTo<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<NonNullable<Body>> {
  const { data, error, response } = await call;
  if (!response.ok) throw CallError.of(response, error);
  if (data === undefined || data === null) throw CallError.of(response, undefined);
  return data;
}
