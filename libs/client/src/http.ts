import { holdUntilRead } from '@batuta/async';
import createClient, { type Client } from 'openapi-fetch';
import { BatutaError, BatutaUnreachable, UnsendableCall } from './error';
import type { paths } from './generated/api';

export interface Connection {
  /** Address of the gateway, such as `https://api.example.com`. */
  url: string;
  /** The value of an account credential, `bat_live_<id>.<secret>`; every method but `ping` needs one. */
  credential?: string;
  /** Time limit of each attempt of a call, in milliseconds, or Infinity; of a stream, until its answer begins. Default: 30,000. */
  timeout?: number;
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: (request: Request) => Promise<Response>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** The longest time of a timer: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Asks for answers without compression: the decoder of Node's `fetch` pauses the connection, and when the server closes a paused one, `fetch`
 * throws an error that nobody can catch. Browsers ignore the header.
 */
export const UNCOMPRESSED = { 'accept-encoding': 'identity' };

/** The media type of server-sent events, whose answer stays open. */
export const EVENT_STREAM = 'text/event-stream';

/** One method per HTTP method, typed by the OpenAPI document: `http.GET('/v1/processes/{pid}', …)`. */
export type TypedHttp = Client<paths, 'application/json'>;

/**
 * Throws UnsendableCall when `url` is no http or https address, when it has a user or a password, when no header can carry the credential, and
 * when `timeout` is no positive number.
 */
export function createHttp({
  url,
  credential,
  timeout = DEFAULT_TIMEOUT_MS,
  fetch = globalThis.fetch,
}: Connection): TypedHttp {
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new UnsendableCall('url: must be an address such as https://api.example.com');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw new UnsendableCall('url: must hold no user and no password');
  if (!(timeout > 0)) throw new UnsendableCall('timeout: must be a positive number of milliseconds, or Infinity');
  const limit = Math.min(Math.ceil(timeout), MAX_TIMER_MS);
  const authorization = credential === undefined ? undefined : `Bearer ${credential}`;
  requireHeaderText('credential', authorization ?? '');
  return createClient<paths, 'application/json'>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { ...UNCOMPRESSED, ...(authorization !== undefined && { authorization }) },
    bodySerializer: toJson,
    // A redirect could send the process key to another server, and would repeat the POST of a start as a GET.
    redirect: 'manual',
    fetch: (request) => (isStream(request) ? fetchStream : fetchWithin)(request, { fetch, timeout: limit }),
  });
}

/**
 * Throws UnsendableCall when no header can carry the text, which is the whole value of a header, for example because an invisible character was
 * copied with a secret.
 */
export function requireHeaderText(name: string, text: string): void {
  try {
    new Headers().set('x', text);
  } catch (cause) {
    throw new UnsendableCall(`${name}: has a character that a header cannot carry`, { cause });
  }
}

/** The text of a body. Throws UnsendableCall for NaN, among others: JSON.stringify writes NaN as null, for which a process takes its default. */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body, requireJsonValue);
  } catch (error) {
    throw error instanceof UnsendableCall ? error : new UnsendableCall(String(error), { cause: error });
  }
}

function requireJsonValue(this: unknown, name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UnsendableCall(`${name}: ${value} is no number of JSON`);
  // JSON.stringify writes a Date without a time as null too.
  const given: unknown = Object(this)[name];
  if (value === null && given instanceof Date) throw new UnsendableCall(`${name}: ${String(given)} is no time`);
  return value;
}

const isStream = (request: Request) => request.headers.get('accept') === EVENT_STREAM;

type FetchOptions = Required<Pick<Connection, 'fetch' | 'timeout'>>;

function fetchWithin(request: Request, { fetch, timeout }: FetchOptions): Promise<Response> {
  return fetchUntil(AbortSignal.timeout(timeout), request, fetch);
}

/** The time limit ends when the answer begins, because a stream stays open. */
async function fetchStream(request: Request, { fetch, timeout }: FetchOptions): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('The answer took too long.', 'TimeoutError')), timeout);
  try {
    return await fetchUntil(limit.signal, request, fetch);
  } finally {
    clearTimeout(timer);
  }
}

function fetchUntil(limit: AbortSignal, request: Request, fetch: FetchOptions['fetch']): Promise<Response> {
  const signal = AbortSignal.any([request.signal, limit]);
  const limited = new Request(request, { signal });
  return holdUntilRead(fetch(limited), [request, limit, signal, limited]);
}

/**
 * The body of a call's answer. Throws BatutaError for an error answer, BatutaUnreachable without an answer, and UnsendableCall for a call
 * that could not be sent.
 */
export async function answerTo<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await call.catch((fault: unknown) => {
    throw fault instanceof UnsendableCall ? fault : new BatutaUnreachable(fault);
  });
  if (!response.ok || data === undefined || data === null) throw BatutaError.of(response, error);
  return data;
}
