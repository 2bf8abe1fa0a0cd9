import createClient, { type Client } from 'openapi-fetch';
import { BatutaError, BatutaUnreachable } from './error';
import type { paths } from './generated/api';

export interface Connection {
  /** Address of the gateway, such as `https://api.example.com`. */
  url: string;
  /** The value of an account credential, `bat_live_<id>.<secret>`. */
  credential?: string;
  /** Time limit of one call in milliseconds; default: 30,000. */
  timeout?: number;
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: (request: Request) => Promise<Response>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** The media type of server-sent events, whose answer stays open. */
export const EVENT_STREAM = 'text/event-stream';

/** One method per HTTP method, typed by the OpenAPI document: `http.GET('/v1/processes/{pid}', …)`. */
export type TypedHttp = Client<paths, 'application/json'>;

export function createHttp({
  url,
  credential,
  timeout = DEFAULT_TIMEOUT_MS,
  fetch = globalThis.fetch,
}: Connection): TypedHttp {
  return createClient<paths, 'application/json'>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    fetch: (request) => (isStream(request) ? fetchStream : fetchWithin)(request, { fetch, timeout }),
  });
}

const isStream = (request: Request) => request.headers.get('accept') === EVENT_STREAM;

type FetchOptions = Required<Pick<Connection, 'fetch' | 'timeout'>>;

function fetchWithin(request: Request, { fetch, timeout }: FetchOptions): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
  return fetch(new Request(request, { signal }));
}

/** The time limit ends when the answer begins, because a stream stays open. */
async function fetchStream(request: Request, { fetch, timeout }: FetchOptions): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('The answer took too long.', 'TimeoutError')), timeout);
  try {
    return await fetch(new Request(request, { signal: AbortSignal.any([request.signal, limit.signal]) }));
  } finally {
    clearTimeout(timer);
  }
}

/** The body of a call's answer. Throws BatutaError for an error answer and BatutaUnreachable without an answer. */
export async function answerTo<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await call.catch((fault: unknown) => {
    throw new BatutaUnreachable(fault);
  });
  if (!response.ok || data === undefined || data === null) throw BatutaError.of(response, error);
  return data;
}
